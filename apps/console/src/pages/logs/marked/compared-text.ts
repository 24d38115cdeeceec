import type { LoggedBody } from '../../../ui/body';

/** Characters of a body that are compared; finding what differs in more would block the page. */
export const COMPARED_MAX = 200_000;

export interface ComparedText {
  readonly text: string;
  readonly isJson: boolean;
  /** Only a beginning is compared, here or already in what is stored. */
  readonly isCut: boolean;
}

/** A body as lines of text. Null: it is not kept, or it is no text. */
export function comparedText({ encoding, body, truncated }: LoggedBody): ComparedText | null {
  if (encoding !== 'json' && encoding !== 'utf8') return null;
  const whole = encoding === 'json' ? JSON.stringify(body, null, 2) : String(body);
  return {
    text: whole.slice(0, COMPARED_MAX),
    isJson: encoding === 'json',
    isCut: truncated || whole.length > COMPARED_MAX,
  };
}
