def double(number):
    return number + 1
