import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { providers } from '../../../messages';
import { parseE8 } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Duration, Money, Note } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import type { Check } from '../provider-types';
import type { CredentialTest } from './use-credential-test';
import './test-pane.css';

/** Pane that tests a credential before it is saved. */
export function TestPane({ test }: { readonly test: CredentialTest }): ReactElement {
  const { checks, isStale, problem, isSending, run } = test;
  return (
    <Pane
      title={providers.test}
      actions={
        <Button size="xs" disabled={run === null} loading={isSending} onClick={() => run?.()}>
          {checks === null ? providers.test : providers.testAgain}
        </Button>
      }
    >
      <div className="col">
        {problem !== null && <Note tone="danger">{problem.message}</Note>}
        {checks === null ? <p className="sub xs">{providers.testHint}</p> : null}
        {isStale && <Note tone="warn">{providers.testStale}</Note>}
        <ul className="checks" aria-live="polite">
          {checks?.map((check) => (
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
