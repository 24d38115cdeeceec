import { NumberInput, Radio, Select, Switch } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { limits } from '../../messages';
import { Pane } from '../../ui/states';
import { numberAt, numberOf, requiredNumberOf, textAt, type Fields } from './fields';
import { budgetWords } from './limit-words';
import './fields.css';

const AT = 'usage_limits';
const FIRST = { type: 'cost', credit_limit: 100, periodic_reset: 'monthly' };

type Reset = 'never' | 'weekly' | 'monthly' | 'days';

function resetOf(fields: Fields): Reset {
  const period = fields.valueOf(`${AT}.periodic_reset`);
  if (period === 'weekly' || period === 'monthly') return period;
  // While the field of the days is empty, its value is ''.
  return (fields.valueOf(`${AT}.periodic_reset_days`) ?? null) === null ? 'never' : 'days';
}

/**
 * Fields of the budget of a key or provider: amount, reset, alert, and the effect of reaching it.
 */
export function BudgetFields({ fields }: { readonly fields: Fields }): ReactElement {
  const hasBudget = typeof fields.valueOf(AT) === 'object' && fields.valueOf(AT) !== null;
  return (
    <Pane
      title={limits.budget}
      actions={
        <Switch
          aria-label={limits.hasBudget}
          checked={hasBudget}
          onChange={({ currentTarget }) => fields.setValue(AT, currentTarget.checked ? FIRST : null)}
        />
      }
    >
      {hasBudget ? <Budget fields={fields} /> : <p className="sub">{limits.noBudget}</p>}
    </Pane>
  );
}

/**
 * Field for the amount of a budget only. A new budget is in US dollars for each month; an empty
 * field means no budget. An amount that is typed again keeps the rest of the former budget.
 */
export function BudgetAmount({ fields }: { readonly fields: Fields }): ReactElement {
  const [former, setFormer] = useState<object>(FIRST);
  const budget = fields.valueOf(AT);
  const current = typeof budget === 'object' && budget !== null ? budget : null;
  const setAmount = (typed: number | string): void => {
    const amount = numberOf(typed);
    if (amount === undefined) return;
    if (current !== null) setFormer(current);
    fields.setValue(AT, amount === null ? null : { ...(current ?? former), credit_limit: amount });
  };
  return (
    <NumberInput
      label={limits.budget}
      description={current === null ? limits.amountHint : budgetWords(current)}
      prefix={textAt(fields, `${AT}.type`) === 'tokens' ? '' : '$'}
      min={0}
      thousandSeparator=","
      value={numberAt(fields, `${AT}.credit_limit`)}
      error={fields.errorOf(`${AT}.credit_limit`)}
      onChange={setAmount}
    />
  );
}

function Budget({ fields }: { readonly fields: Fields }): ReactElement {
  const set = (name: string, value: unknown): void => fields.setValue(`${AT}.${name}`, value);
  // An empty field is sent as null, so that the API refuses it, and not the number it had before.
  const setNumber = (name: string, typed: number | string): void => {
    const value = numberOf(typed);
    if (value !== undefined) set(name, value);
  };
  const isCost = fields.valueOf(`${AT}.type`) !== 'tokens';
  const setReset = (next: string | null): void => {
    set('periodic_reset', next === 'weekly' || next === 'monthly' ? next : null);
    set('periodic_reset_days', next === 'days' ? 30 : null);
    // The value belongs to the former schedule; the API computes the one of the new schedule.
    set('next_usage_reset_at', null);
  };
  return (
    <div className="col fields">
      <div className="fields-row">
        <NumberInput
          label={limits.amount}
          prefix={isCost ? '$' : ''}
          min={0}
          thousandSeparator=","
          required
          value={numberAt(fields, `${AT}.credit_limit`)}
          error={fields.errorOf(`${AT}.credit_limit`)}
          onChange={(value) => setNumber('credit_limit', value)}
        />
        <Select
          label={limits.of}
          allowDeselect={false}
          value={isCost ? 'cost' : 'tokens'}
          data={Object.entries(limits.ofTypes).map(([value, label]) => ({ value, label }))}
          onChange={(value) => set('type', value)}
        />
        <Select
          label={limits.resets}
          allowDeselect={false}
          value={resetOf(fields)}
          data={Object.entries(limits.resetNames).map(([value, label]) => ({ value, label }))}
          onChange={setReset}
        />
        {resetOf(fields) === 'days' && (
          <NumberInput
            label={limits.days}
            min={1}
            max={365}
            allowDecimal={false}
            value={numberAt(fields, `${AT}.periodic_reset_days`)}
            error={fields.errorOf(`${AT}.periodic_reset_days`)}
            onChange={(typed) => {
              const value = requiredNumberOf(typed);
              if (value !== undefined) set('periodic_reset_days', value);
            }}
          />
        )}
        <NumberInput
          label={limits.alertAt}
          prefix={isCost ? '$' : ''}
          min={0}
          thousandSeparator=","
          value={numberAt(fields, `${AT}.alert_threshold`)}
          error={fields.errorOf(`${AT}.alert_threshold`)}
          onChange={(value) => setNumber('alert_threshold', value)}
        />
      </div>
      <Radio.Group
        label={limits.reached}
        value={textAt(fields, `${AT}.enforcement`) || 'standard'}
        onChange={(value) => set('enforcement', value)}
      >
        <div className="fields-row fields-cards">
          <Radio value="standard" label={limits.standard} description={limits.standardHint} />
          <Radio value="strict" label={limits.strict} description={limits.strictHint} />
        </div>
      </Radio.Group>
      <Radio.Group
        label={limits.outage}
        value={
          textAt(fields, `${AT}.on_outage`) ||
          (textAt(fields, `${AT}.enforcement`) === 'strict' ? 'refuse' : 'hold')
        }
        onChange={(value) => set('on_outage', value)}
      >
        <div className="fields-row">
          <Radio value="hold" label={limits.hold} />
          <Radio value="refuse" label={limits.refuse} />
        </div>
      </Radio.Group>
    </div>
  );
}
