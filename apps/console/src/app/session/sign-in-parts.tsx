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

/** Shows why a step of a sign-in failed: the message of the API, or the console's own. */
export function FormError({ error }: { readonly error: unknown }): ReactElement | null {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className="sign-in-error">
      {error instanceof Error && !(error instanceof TypeError) ? error.message : problemFrom(error).message}
    </p>
  );
}
