"""placeholder while the real one is written"""


class TrapWatch:
    def judge(self, target, depth):
        return None

    def learn(self, target, text, new):
        pass
