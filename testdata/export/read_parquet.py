# Reads the tables of a folder, exported to Parquet and Arrow, with three readers, and prints what they agree about:
# calls, bytes and time by function, and messages by sender and receiver. Tables in parts (part-TABLE-ranks-*) are the
# whole ones.
import json, sys
import duckdb, polars, pyarrow.ipc, pyarrow.parquet

dir = sys.argv[1]
rows = {}
for table in "calls messages steps ranks sites communicators marks".split():
    path = f"{dir}/{table}.parquet"
    counts = {pyarrow.parquet.read_table(path).num_rows, polars.read_parquet(path).height,
              duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0]}
    assert len(counts) == 1, (table, counts)
    rows[table] = counts.pop()
    arrow = pyarrow.ipc.open_file(pyarrow.memory_map(f"{dir}/{table}.arrow")).read_all()
    arrow.validate(full=True)
    same = pyarrow.parquet.read_table(path).to_pylist()
    assert arrow.to_pylist() == same, table
    assert polars.read_ipc(f"{dir}/{table}.arrow").rows() == polars.read_parquet(path).rows(), table
    assert duckdb.sql("select count(*) from arrow").fetchall()[0][0] == len(same), table

calls, messages = f"{dir}/calls.parquet", f"{dir}/messages.parquet"
functions = duckdb.sql(f"select function, count(*), coalesce(sum(bytes), 0), sum(duration_ns) from '{calls}' group by 1")
functions = {f: [int(n) for n in numbers] for f, *numbers in functions.fetchall()}
frame = polars.read_parquet(calls).group_by("function").agg(
    polars.len(), polars.col("bytes").fill_null(0).sum(), polars.col("duration_ns").sum())
assert {f: numbers for f, *numbers in map(list, frame.rows())} == functions
arrow = pyarrow.parquet.read_table(messages).group_by(["source", "destination"]).aggregate(
    [("tag", "count"), ("bytes", "sum")]).to_pylist()
pairs = duckdb.sql(f"select source, destination, count(*), sum(bytes) from '{messages}' group by all order by all")
pairs = [[int(x) for x in row] for row in pairs.fetchall()]
assert sorted([m["source"], m["destination"], m["tag_count"], m["bytes_sum"]] for m in arrow) == pairs
by = "select function, count(*), coalesce(sum(bytes), 0), sum(duration_ns) from '%s' group by 1"
parts = duckdb.sql(by % f"{dir}/part-calls-ranks-*.parquet").fetchall()
assert {f: [int(n) for n in numbers] for f, *numbers in parts} == functions
lazy = polars.scan_ipc(f"{dir}/part-calls-ranks-*.arrow").group_by("function").agg(
    polars.len(), polars.col("bytes").fill_null(0).sum(), polars.col("duration_ns").sum()).collect()
assert {f: numbers for f, *numbers in map(list, lazy.rows())} == functions
whole = duckdb.sql(f"select count(*) from '{dir}/part-messages-ranks-*.parquet'").fetchall()[0][0]
assert whole == rows["messages"], (whole, rows["messages"])
marks = duckdb.sql(f"select name, count(*), coalesce(sum(value), 0) from '{dir}/marks.parquet' group by 1").fetchall()
print(json.dumps({"functions": functions, "pairs": pairs, "rows": rows,
                  "marks": {name: [n, total] for name, n, total in marks}}))
