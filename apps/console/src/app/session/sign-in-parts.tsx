import type { ReactElement, SyntheticEvent } from 'react';
import { problemFrom } from '../../api';

export function textIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/**
 * Returns a submit handler that calls `act` with the form instead of letting the browser post it.
 */
export const onSubmit =
  (act: (form: HTMLFormElement) => void) =>
  (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    act(event.currentTarget);
  };

interface Attempt {
  readonly error: unknown;
  /** Time of its start, in Unix milliseconds; 0 before the first one. */
  readonly submittedAt: number;
}

/** Error of the mutation that was started last; null when it has none. */
export const lastError = (first: Attempt, ...others: readonly Attempt[]): unknown =>
  others.reduce((last, next) => (next.submittedAt > last.submittedAt ? next : last), first).error;

/** Shows why a step of a sign-in failed: the message of the API, or the console's own. */
export function FormError({ error }: { readonly error: unknown }): ReactElement | null {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className="sign-in-error">
      {error instanceof Error && !(error instanceof TypeError) ? error.message : problemFrom(error).message}
    </p>
  );
}
