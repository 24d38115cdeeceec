import { useState } from 'react';
import { call, problemFrom, type BodyOf, type Problem } from '../../../api';
import type { Check } from '../provider-types';

type TestBody = BodyOf<'integrationTests_run'>;

interface Tested {
  /** Null when other values than the tested ones were saved. */
  readonly body: TestBody | null;
  readonly checks: readonly Check[];
}

export interface CredentialTest {
  /** Checks of the last test; null before the first one. */
  readonly checks: readonly Check[] | null;
  /** Whether the form now has other values than the last test. */
  readonly isStale: boolean;
  /** Error of the last attempt; null for none. */
  readonly problem: Problem | null;
  readonly isSending: boolean;
  /** Runs the test; null while the form is incomplete. */
  readonly run: (() => void) | null;
  /**
   * Awaits a save of the form. `next` is the body of a test of the form after it; null when the save
   * stores other values than those of the form.
   */
  readonly follow: <E extends string>(save: Promise<E>, next: TestBody | null) => Promise<E>;
}

const isSame = (one: TestBody | null, other: TestBody | null): boolean =>
  one !== null && JSON.stringify(one) === JSON.stringify(other);

/**
 * State of the test of a credential before it is saved. `body` is that of a test of the form; null
 * while the form is incomplete. It contains the secret, which only this state and the form hold.
 */
export function useCredentialTest(body: TestBody | null): CredentialTest {
  const [tested, setTested] = useState<Tested | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (sent: TestBody): Promise<void> => {
    setSending(true);
    setProblem(null);
    try {
      const { data } = await call('integrationTests_run', {}, { body: sent });
      setTested({ body: sent, checks: data.checks });
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSending(false);
    }
  };
  const follow: CredentialTest['follow'] = async (save, next) => {
    const ending = await save;
    if (ending === 'saved')
      setTested((before) => before && { ...before, body: isSame(before.body, body) ? next : null });
    return ending;
  };
  return {
    checks: tested === null ? null : tested.checks,
    isStale: tested !== null && !isSame(tested.body, body),
    ...{ problem, isSending, follow },
    run: body === null ? null : () => void (isSending || send(body)),
  };
}
