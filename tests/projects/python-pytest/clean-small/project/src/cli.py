import json
import sys

from prices import total


def main() -> None:
    prices = json.load(sys.stdin)
    print(json.dumps({"total": total(prices)}))


if __name__ == "__main__":
    main()
