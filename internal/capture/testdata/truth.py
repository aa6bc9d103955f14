"""Sends the transactions of truth_server_test.go by PyMySQL, which turns autocommit off when it connects."""

import json
import sys
import threading
import time

import pymysql

host, port, user, password, schema, lanes, each, gap = sys.argv[1:]
lanes, each, gap = int(lanes), int(each), float(gap)
failures = []
spent = []
start = time.monotonic()


def lane(number):
    try:
        connection = pymysql.connect(host=host, port=int(port), user=user, password=password, database=schema, ssl_disabled=True)
        with connection.cursor() as cursor:
            for i in range(each):
                n = i * lanes + number
                key = n % 50 + 1
                time.sleep(max(0, start + n * gap / lanes - time.monotonic()))
                begun = time.monotonic()
                if n % 10 in (0, 1, 3, 4, 6, 8):
                    cursor.execute("SELECT id, price FROM item WHERE id BETWEEN %s AND %s", (key, key + 4))
                    cursor.fetchall()
                elif n % 10 == 9:
                    cursor.execute("UPDATE stock SET n = n + %s WHERE id = %s", (5, key))
                else:
                    cursor.execute("SELECT price FROM item WHERE id = %s", (key,))
                    cursor.execute("UPDATE item SET sold = sold + %s WHERE id = %s", (1, key))
                    cursor.execute("INSERT INTO orders (item) VALUES (%s)", (key,))
                connection.commit()
                spent.append(time.monotonic() - begun)
        connection.close()
    except Exception as failure:
        failures.append(failure)


threads = [threading.Thread(target=lane, args=(n,)) for n in range(lanes)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if failures:
    raise failures[0]
print(json.dumps({"seconds": time.monotonic() - start, "milliseconds": 1000 * sum(spent) / len(spent)}))
