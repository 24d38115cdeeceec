import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { call, problemFrom, type BodyOf, type Problem } from '../../../api';
import { providers } from '../../../messages';
import { parseE8 } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Duration, Money, Note } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import type { Check } from '../provider-types';
import './test-pane.css';

interface TestPaneProps {
  /** Body of the test from the current form; null while it is incomplete. */
  readonly body: BodyOf<'integrationTests_run'> | null;
}

interface Tested {
  readonly body: BodyOf<'integrationTests_run'>;
  readonly checks: readonly Check[];
}

/**
 * Pane that tests a credential before it is saved. Only this component and the form hold the body,
 * which contains the secret.
 */
export function TestPane({ body }: TestPaneProps): ReactElement {
  const [tested, setTested] = useState<Tested | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const run = async (): Promise<void> => {
    if (body === null || isSending) return;
    setSending(true);
    setProblem(null);
    try {
      const { data } = await call('integrationTests_run', {}, { body });
      setTested({ body, checks: data.checks });
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSending(false);
    }
  };
  const isStale = tested !== null && JSON.stringify(tested.body) !== JSON.stringify(body);
  return (
    <Pane
      title={providers.test}
      actions={
        <Button size="xs" disabled={body === null} loading={isSending} onClick={() => void run()}>
          {tested === null ? providers.test : providers.testAgain}
        </Button>
      }
    >
      <div className="col">
        {problem !== null && <Note tone="danger">{problem.message}</Note>}
        {tested === null ? <p className="sub xs">{providers.testHint}</p> : null}
        {isStale && <Note tone="warn">{providers.testStale}</Note>}
        <ul className="checks" aria-live="polite">
          {tested?.checks.map((check) => (
            <CheckRow key={check.id} check={check} />
          ))}
        </ul>
      </div>
    </Pane>
  );
}

function CheckRow({ check: { id, ok, ms, message, cost_exact } }: { readonly check: Check }): ReactElement {
  const word = ok === null ? providers.notChecked : ok ? providers.passed : providers.failed;
  return (
    <li className="check" data-ok={ok ?? undefined}>
      <Icon name={ok === null ? 'minus' : ok ? 'circleCheck' : 'warning'} label={word} />
      <span className="col check-words">
        <b>{providers.checks[id] ?? id}</b>
        <span className="sub xs">
          {message} {typeof cost_exact === 'string' ? <Money e8={parseE8(cost_exact)} /> : null}
        </span>
      </span>
      {ms === null ? null : (
        <span className="right xs muted">
          <Duration ms={ms} />
        </span>
      )}
    </li>
  );
}
