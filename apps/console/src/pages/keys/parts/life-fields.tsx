import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { keys } from '../../../messages';
import { Note } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import { numberAt, numberOf, requiredNumberOf, textAt, type Fields } from '../../fields/fields';

const HOUR_MS = 3_600_000;
const AT = 'rotation_policy';

type Rotation = 'none' | 'weekly' | 'monthly' | 'days';

function rotationOf(fields: Fields): Rotation {
  const policy = fields.valueOf(AT);
  if (policy === null || policy === undefined) return 'none';
  const period = fields.valueOf(`${AT}.rotation_period`);
  return period === 'weekly' || period === 'monthly' ? period : 'days';
}

/** Fields for expiry, automatic rotation and recipients of alerts. */
export function LifeFields({
  fields,
  isEnforced = false,
}: {
  readonly fields: Fields;
  readonly isEnforced?: boolean;
}): ReactElement {
  const rotation = rotationOf(fields);
  const setRotation = (next: string | null): void => {
    const transition = numberAt(fields, `${AT}.key_transition_period_ms`);
    const kept = transition === '' ? {} : { key_transition_period_ms: transition };
    if (next === 'weekly' || next === 'monthly') fields.setValue(AT, { ...kept, rotation_period: next });
    else fields.setValue(AT, next === 'days' ? { ...kept, rotation_period_days: 90 } : null);
  };
  const transition = numberAt(fields, `${AT}.key_transition_period_ms`);
  return (
    <Pane title={keys.steps['life']}>
      <div className="col fields">
        {isEnforced && <Note tone="info">{keys.expiryEnforced}</Note>}
        <div className="fields-row">
          <TextInput
            type="date"
            label={keys.expires}
            description={keys.expiresHint}
            value={textAt(fields, 'expires_at').slice(0, 10)}
            error={fields.errorOf('expires_at')}
            onChange={({ currentTarget: { value } }) =>
              fields.setValue('expires_at', value === '' ? null : `${value}T23:59:59.000Z`)
            }
          />
          <Select
            label={keys.rotation}
            allowDeselect={false}
            value={rotation}
            data={Object.entries(keys.rotations).map(([value, label]) => ({ value, label }))}
            error={fields.errorOf(AT)}
            onChange={setRotation}
          />
          {rotation === 'days' && (
            <NumberInput
              label={keys.rotationDays}
              min={1}
              max={365}
              allowDecimal={false}
              value={numberAt(fields, `${AT}.rotation_period_days`)}
              error={fields.errorOf(`${AT}.rotation_period_days`)}
              onChange={(typed) => {
                const value = requiredNumberOf(typed);
                if (value !== undefined) fields.setValue(`${AT}.rotation_period_days`, value);
              }}
            />
          )}
          {rotation !== 'none' && (
            <NumberInput
              label={keys.transition}
              suffix={keys.hours}
              min={0.5}
              value={transition === '' ? '' : transition / HOUR_MS}
              error={fields.errorOf(`${AT}.key_transition_period_ms`)}
              onChange={(typed) => {
                const value = numberOf(typed);
                if (value === undefined) return;
                fields.setValue(
                  `${AT}.key_transition_period_ms`,
                  value === null ? null : Math.round(value * HOUR_MS),
                );
              }}
            />
          )}
        </div>
        <TagsInput
          label={keys.alerts}
          description={keys.alertsHint}
          value={[...((fields.valueOf('alert_emails') ?? []) as readonly string[])]}
          error={fields.errorOf('alert_emails') ?? fields.errorOf('alert_emails.0')}
          splitChars={[',', ' ', ';']}
          onChange={(emails) => fields.setValue('alert_emails', emails.length === 0 ? null : emails)}
        />
      </div>
    </Pane>
  );
}
