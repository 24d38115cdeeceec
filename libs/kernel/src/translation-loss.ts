/** Modes for parameters that change the response and that the provider cannot express. */
export const LOSS_MODES = ['strict', 'adapt'] as const;
/** `strict` refuses the call; `adapt` drops the parameter, or moves it to the nearest value. */
export type LossMode = (typeof LOSS_MODES)[number];

export const LOSS_CODES = ['dropped', 'approximated', 'moved', 'generated', 'relaxed'] as const;
export type LossCode = (typeof LOSS_CODES)[number];

/** One difference between what the client sent and what the provider received. */
export interface Loss {
  /** Path in the client's body, such as `messages.3.content.1`; at most 256 characters. */
  readonly path: string;
  readonly code: LossCode;
  /** Value that was sent instead: `budget_tokens 8192`. */
  readonly to?: string;
}
