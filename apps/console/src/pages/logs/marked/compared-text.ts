import type { LoggedBody } from '../../../ui/body';

/** Maximum number of characters that are compared; a longer comparison would block the page. */
export const COMPARED_MAX = 200_000;

export interface ComparedText {
  readonly text: string;
  readonly isJson: boolean;
  /** True when the text is truncated, by `COMPARED_MAX` or in the stored body. */
  readonly isCut: boolean;
}

/** Returns a body as lines of text; null when it is not stored or not text. */
export function comparedText({ encoding, body, truncated }: LoggedBody): ComparedText | null {
  if (encoding !== 'json' && encoding !== 'utf8') return null;
  const whole = encoding === 'json' ? JSON.stringify(body, null, 2) : String(body);
  return {
    text: whole.slice(0, COMPARED_MAX),
    isJson: encoding === 'json',
    isCut: truncated || whole.length > COMPARED_MAX,
  };
}
