"""Processes: how they are started, tied to whoever started them, signalled, watched and started again.

- `children`: work on hostile bytes, a question and an answer at a time.
- `commands`: a command of this program in a process of its own.
- `supervisor`: keeps several of them running, with a back-off.
- `signals`: what an interrupt does.
- `parent_watch`: a process ends when the one that started it is gone.
- `locks`: on one machine, a process that is gone is known at once.
- `resources`: memory and open files of a process that does one thing many times.
- `failpoints`: named points at which a test lets the process die.

It knows no table and no stage; what is written about processes is `surveyor.operations`' concern.
"""
