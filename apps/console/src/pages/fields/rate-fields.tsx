import { ActionIcon, Button, NumberInput, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { limits } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { Pane } from '../../ui/states';
import { numberOf, type Fields } from './fields';
import './fields.css';

const AT = 'rate_limits';
const RATES_MAX = 10;

interface Rate {
  readonly type: string;
  /** Null while its field is empty, which the API refuses. */
  readonly value: number | null;
  readonly unit?: string | null;
  readonly window?: string | null;
}

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/**
 * Fields of the rate limits of a key or provider. The API replaces the list as a whole, so any
 * change sends all of it.
 */
export function RateFields({ fields }: { readonly fields: Fields }): ReactElement {
  const rates = (fields.valueOf(AT) ?? []) as readonly Rate[];
  const set = (next: readonly Rate[]): void => fields.setValue(AT, next.length === 0 ? null : next);
  const change = (at: number, part: Partial<Rate>): void =>
    set(rates.map((rate, index) => (index === at ? { ...rate, ...part } : rate)));
  const add = (): void => set([...rates, { type: 'requests', value: 600, unit: 'rpm' }]);
  return (
    <Pane
      title={limits.rates}
      actions={
        <Button
          size="xs"
          onClick={add}
          disabled={rates.length >= RATES_MAX}
          leftSection={<Icon name="plus" size={14} />}
        >
          {limits.addRate}
        </Button>
      }
    >
      {rates.length === 0 ? <p className="sub">{limits.noRates}</p> : null}
      <div className="col">
        {rates.map((rate, at) => (
          // A rate limit has no id, so its index is the key.
          <div className="fields-row" key={at}>
            <NumberInput
              aria-label={limits.rateValue}
              min={1}
              allowDecimal={false}
              thousandSeparator=","
              value={rate.value ?? ''}
              error={fields.errorOf(`${AT}.${String(at)}.value`) ?? fields.errorOf(`${AT}.${String(at)}`)}
              onChange={(typed) => {
                const value = numberOf(typed);
                if (value !== undefined) change(at, { value });
              }}
            />
            <Select
              aria-label={limits.rateType}
              allowDeselect={false}
              value={rate.type}
              data={choices(limits.rateTypes)}
              onChange={(type) =>
                change(
                  at,
                  type === 'concurrency'
                    ? { type, unit: null, window: null }
                    : { type: type ?? '', unit: rate.unit ?? 'rpm' },
                )
              }
            />
            {rate.type !== 'concurrency' && (
              <>
                <Select
                  aria-label={limits.rateUnit}
                  allowDeselect={false}
                  value={rate.unit ?? 'rpm'}
                  data={choices(limits.units)}
                  error={fields.errorOf(`${AT}.${String(at)}.unit`)}
                  onChange={(unit) => change(at, { unit })}
                />
                <Select
                  aria-label={limits.rateWindow}
                  allowDeselect={false}
                  value={rate.window ?? 'fixed'}
                  data={choices(limits.windows)}
                  onChange={(window) => change(at, { window })}
                />
              </>
            )}
            <ActionIcon
              aria-label={limits.removeRate}
              onClick={() => set(rates.filter((_, index) => index !== at))}
            >
              <Icon name="close" />
            </ActionIcon>
          </div>
        ))}
      </div>
    </Pane>
  );
}
