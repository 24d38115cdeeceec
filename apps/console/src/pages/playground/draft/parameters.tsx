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
  /** Said in an empty field. */
  readonly usual: string;
}

const numberOf = (value: number | string): number | null => (typeof value === 'number' ? value : null);

/** Temperature and largest output. An empty field leaves it to the provider, or to the shared one. */
export function Parameters({ values, onChange, usual }: ParametersProps): ReactElement {
  return (
    <div className="playground-parameters">
      <NumberInput
        label={text.temperature}
        value={values.temperature ?? ''}
        onChange={(value) => onChange({ temperature: numberOf(value) })}
        min={0}
        max={TEMPERATURE_MAX}
        decimalScale={2}
        placeholder={usual}
      />
      <NumberInput
        label={text.maxTokens}
        value={values.maxTokens ?? ''}
        onChange={(value) => onChange({ maxTokens: numberOf(value) })}
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
