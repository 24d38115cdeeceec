/**
 * Runs `work` while the clocks of this process stand still, so that its windows and pauses do not
 * end before `work` does, however slow the machine is. The clock of the database continues.
 */
export async function withStoppedClock<T>(work: () => Promise<T>): Promise<T> {
  const clocks = [
    jest.spyOn(Date, 'now').mockReturnValue(Date.now()),
    jest.spyOn(performance, 'now').mockReturnValue(performance.now()),
  ];
  try {
    return await work();
  } finally {
    for (const clock of clocks) clock.mockRestore();
  }
}
