import { NumberInput, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { TEMPERATURE_MAX } from '../search';

export interface ParameterValues {
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

interface ParametersProps {
  readonly values: ParameterValues;
  readonly onChange: (values: Partial<ParameterValues>) => void;
  /** Placeholder of an empty field. */
  readonly usual: string;
}

/** Parses a field: null when empty, undefined while a number is incomplete, such as `0.`. */
function numberOf(value: number | string): number | null | undefined {
  if (typeof value === 'number') return value;
  return value === '' ? null : undefined;
}

/**
 * Inputs for temperature and maximum output tokens. An empty field uses the shared value or the
 * provider's default.
 */
export function Parameters({ values, onChange, usual }: ParametersProps): ReactElement {
  const set = (name: keyof ParameterValues, value: number | string): void => {
    const next = numberOf(value);
    if (next !== undefined) onChange({ [name]: next });
  };
  return (
    <div className="playground-parameters">
      <NumberInput
        label={text.temperature}
        value={values.temperature ?? ''}
        onChange={(value) => set('temperature', value)}
        min={0}
        max={TEMPERATURE_MAX}
        decimalScale={2}
        placeholder={usual}
      />
      <NumberInput
        label={text.maxTokens}
        value={values.maxTokens ?? ''}
        onChange={(value) => set('maxTokens', value)}
        min={1}
        max={1_000_000}
        allowDecimal={false}
        placeholder={usual}
      />
    </div>
  );
}

interface StreamSwitchProps {
  readonly isStreamed: boolean;
  readonly onChange: (isStreamed: boolean) => void;
}

export function StreamSwitch({ isStreamed, onChange }: StreamSwitchProps): ReactElement {
  return (
    <Switch
      label={text.stream}
      checked={isStreamed}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
