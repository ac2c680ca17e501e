"""Python's files, buffered and not, text and binary."""
import os

with open("p.bin", "wb") as f:
    for i in range(200):
        f.write(bytes(1000))
with open("p.bin", "rb", buffering=0) as f:
    f.seek(5000)
    while f.read(4096):
        pass
with open("p.txt", "w") as f:
    for i in range(1000):
        print("line", i, file=f)
fd = os.open("p.bin", os.O_RDWR)
for i in range(10):
    os.pwrite(fd, b"x" * 100, 1000 * i)
os.close(fd)
os.rename("p.txt", "q.txt")
os.remove("q.txt")
