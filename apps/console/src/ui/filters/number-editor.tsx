import { Button } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import type { Comparison, Match } from '../../url';
import { RadioButtons } from '../primitives/radio-buttons';
import type { EditorProps } from './values-editor';

const USUAL: readonly (Comparison | 'between')[] = ['>=', '<=', 'between'];
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Editor of a number filter: an operator or a range, then one or two numbers. Enter applies it. */
export function NumberEditor({ field, filter, onChange, onDone }: EditorProps): ReactElement {
  const match = filter?.match;
  const [kind, setKind] = useState<Comparison | 'between'>(kindOf(match) ?? field.comparisons?.[0] ?? '>=');
  const [low, setLow] = useState(
    match?.kind === 'compare' ? String(match.value) : match?.kind === 'between' ? String(match.low) : '',
  );
  const [high, setHigh] = useState(match?.kind === 'between' ? String(match.high) : '');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = matchOf(kind, low.trim(), high.trim());
    if (typeof next === 'string') {
      setProblem(next);
      return;
    }
    onChange({ field: field.id, not: false, match: next });
    onDone();
  };
  const box = (
    value: string,
    set: (value: string) => void,
    label: string,
    isFirst: boolean,
  ): ReactElement => (
    <input
      // The editor opens only when the user asks for it, so autofocus is appropriate.
      autoFocus={isFirst}
      className="filter-input num"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={problem !== null || undefined}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
  return (
    <form className="filter-editor" onSubmit={submit}>
      <RadioButtons
        label={uiText.filters.operator}
        options={(field.comparisons ?? USUAL).map((one) => [
          one,
          one === 'between' ? uiText.filters.between : uiText.filters.compare(one),
        ])}
        value={kind}
        onChange={setKind}
        className="filter-operators"
        buttonClass="filter-operator"
      />
      <div className="row">
        {box(low, setLow, kind === 'between' ? uiText.filters.lowest(field.label) : field.label, true)}
        {kind === 'between' && box(high, setHigh, uiText.filters.highest(field.label), false)}
        {field.unit === undefined ? null : <span className="muted">{field.unit}</span>}
      </div>
      {problem === null ? null : (
        <p className="filter-problem" role="alert">
          {problem}
        </p>
      )}
      <Button type="submit" size="xs">
        {uiText.filters.apply}
      </Button>
    </form>
  );
}

function kindOf(match: Match | undefined): Comparison | 'between' | null {
  if (match === undefined || match.kind === 'any') return null;
  return match.kind === 'between' ? 'between' : match.op;
}

/** Parses the inputs; returns an error message when they are invalid. */
function matchOf(kind: Comparison | 'between', low: string, high: string): Match | string {
  if (!NUMBER.test(low) || (kind === 'between' && !NUMBER.test(high))) return uiText.filters.notANumber;
  if (kind !== 'between') return { kind: 'compare', op: kind, value: Number(low) };
  return Number(low) <= Number(high)
    ? { kind: 'between', low: Number(low), high: Number(high) }
    : uiText.filters.wrongOrder;
}
