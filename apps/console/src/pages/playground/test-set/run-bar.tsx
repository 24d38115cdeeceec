import { Button, NumberInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { testSets as text } from '../../../messages/en/test-sets';
import { e8OfUsd } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Kbd, Money, Note } from '../../../ui/primitives';
import { ASSUMED_OUTPUT } from './estimate';
import type { Plan } from './plan';
import type { KeptSet } from './use-kept-set';

interface RunBarProps {
  readonly plan: Plan;
  readonly set: KeptSet;
  /** Content of the budget field in USD. */
  readonly budget: number | string;
  readonly onBudget: (budget: number | string) => void;
  readonly isRunning: boolean;
  readonly fault: string | null;
  readonly onRun: () => void;
  readonly onStop: () => void;
}

/** Parses the budget to 1e-8 USD; null when the field has no valid amount. */
export const budgetOf = (typed: number | string): bigint | null => {
  const e8 = typeof typed === 'number' && typed > 0 ? e8OfUsd(typed) : null;
  return e8 === null || e8 === 0n ? null : e8;
};

/** Bar with the estimated cost of a run, its budget, and the button that starts or stops it. */
export function RunBar(props: RunBarProps): ReactElement {
  const { plan, set, budget, onBudget, isRunning, fault, onRun, onStop } = props;
  const limit = budgetOf(budget);
  const { calls, estimate, unknown } = plan;
  return (
    <div className="col">
      <div className="row tests-run">
        <NumberInput
          label={text.budget}
          description={text.budgetHint}
          w={220}
          min={0}
          max={100_000}
          decimalScale={8}
          allowNegative={false}
          hideControls
          disabled={isRunning}
          value={budget}
          onChange={onBudget}
        />
        {isRunning ? (
          <Button leftSection={<Icon name="pause" size={14} />} onClick={onStop}>
            {text.stop}
          </Button>
        ) : (
          <Button
            variant="filled"
            leftSection={<Icon name="play" size={14} />}
            rightSection={<Kbd keys="Ctrl ↵" />}
            disabled={limit === null || calls.length === 0}
            onClick={onRun}
          >
            {text.run(calls.length)}
          </Button>
        )}
        <p className="xs" role="status">
          {isRunning && <>{text.running} · </>}
          {text.estimate(calls.length)} <Money e8={estimate} priced="estimated" />
          {set.columns.length > 0 && (
            <>
              {' '}
              · {text.spent} <Money e8={set.spent} priced="priced" as="exact" />
            </>
          )}
        </p>
      </div>
      <p className="xs muted">
        {text.assumed(ASSUMED_OUTPUT)} {unknown > 0 && text.unknown(unknown)}{' '}
        {limit !== null && estimate > limit && text.above}
      </p>
      {fault !== null && (
        <Note tone="danger">
          <span role="alert">{fault}</span>
        </Note>
      )}
      {set.isSpent && !isRunning && <Note tone="warn">{text.isSpent}</Note>}
      {set.isUnpriced && !isRunning && <Note tone="warn">{text.isUnpriced}</Note>}
    </div>
  );
}
