function event(
