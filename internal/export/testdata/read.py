"""Read the exported Parquet files with DuckDB and with pandas; print what they hold."""

import json
import sys

import duckdb
import pandas

directory = sys.argv[1]


def path(name):
    return f"{directory}/{name}.parquet"


def duck(query, *names):
    return duckdb.execute(query, [path(n) for n in names]).fetchall()


def of_duckdb():
    types = {row[0]: row[1] for row in duck("DESCRIBE SELECT * FROM read_parquet(?)", "trials")}
    return {
        "Trials": duck("SELECT count(*) FROM read_parquet(?)", "trials")[0][0],
        "Seconds": duck("SELECT count(*) FROM read_parquet(?)", "seconds")[0][0],
        "Buckets": duck("SELECT count(*) FROM read_parquet(?)", "latency")[0][0],
        "Unknown": duck("SELECT count(*) FROM read_parquet(?) WHERE cost_percent IS NULL", "effects")[0][0],
        "Throughput": duck("SELECT sum(transactions_per_s) FROM read_parquet(?)", "trials")[0][0],
        "Cost": duck("SELECT sum(cost_percent) FROM read_parquet(?)", "effects")[0][0],
        "Types": {name: types[name] for name in ("round", "arm", "transactions_per_s")},
    }


def of_pandas():
    trials = pandas.read_parquet(path("trials"))
    effects = pandas.read_parquet(path("effects"))
    return {
        "Trials": len(trials),
        "Seconds": len(pandas.read_parquet(path("seconds"))),
        "Buckets": len(pandas.read_parquet(path("latency"))),
        "Unknown": int(effects.cost_percent.isna().sum()),
        "Throughput": float(trials.transactions_per_s.sum()),
        "Cost": float(effects.cost_percent.sum()),
        "Types": {name: str(trials[name].dtype) for name in ("round", "arm", "transactions_per_s")},
    }


print(json.dumps({"duckdb": of_duckdb(), "pandas": of_pandas()}))
