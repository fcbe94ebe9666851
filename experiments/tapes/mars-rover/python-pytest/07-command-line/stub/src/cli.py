def answer(text):
    return "null"
