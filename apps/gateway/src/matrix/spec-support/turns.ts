interface Turn {
  readonly role: string;
}

/**
 * Returns the fault of the messages in dialects whose turns must alternate and begin with the
 * user's; null when there is none.
 */
export function faultOfTurns(messages: unknown): string | null {
  const turns = messages as readonly Turn[];
  if (turns.some(({ role }, at) => role === turns[at - 1]?.role))
    return 'two turns in a row have the same role';
  return turns[0]?.role === 'user' ? null : 'the first turn is not the user’s';
}
