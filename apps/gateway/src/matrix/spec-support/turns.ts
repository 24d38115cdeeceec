interface Turn {
  readonly role: string;
}

/** Says what dialects refuse whose turns must alternate, the user's first; null when nothing is wrong. */
export function faultOfTurns(messages: unknown): string | null {
  const turns = messages as readonly Turn[];
  if (turns.some(({ role }, at) => role === turns[at - 1]?.role))
    return 'two turns in a row have the same role';
  return turns[0]?.role === 'user' ? null : 'the first turn is not the user’s';
}
