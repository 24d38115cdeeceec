import { Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { providers } from '../../../messages';
import { Pane } from '../../../ui/states';
import { BudgetFields } from '../../fields/budget-fields';
import { textAt, type Fields } from '../../fields/fields';
import { RateFields } from '../../fields/rate-fields';

/** Fields for name, note, expiry, budget and rate limits of a provider or virtual key. */
export function SettingsFields({ fields }: { readonly fields: Fields }): ReactElement {
  return (
    <>
      <Pane>
        <div className="col fields">
          <TextInput
            label={providers.name}
            required
            value={textAt(fields, 'name')}
            error={fields.errorOf('name')}
            onChange={({ currentTarget }) => fields.setValue('name', currentTarget.value)}
          />
          <Textarea
            label={providers.note}
            autosize
            maxRows={4}
            value={textAt(fields, 'note')}
            error={fields.errorOf('note')}
            onChange={({ currentTarget }) => fields.setValue('note', currentTarget.value || null)}
          />
          <TextInput
            type="date"
            label={providers.expires}
            description={providers.expiresHint}
            value={textAt(fields, 'expires_at').slice(0, 10)}
            error={fields.errorOf('expires_at')}
            onChange={({ currentTarget: { value } }) =>
              fields.setValue('expires_at', value === '' ? null : `${value}T23:59:59.000Z`)
            }
          />
        </div>
      </Pane>
      <BudgetFields fields={fields} />
      <RateFields fields={fields} />
    </>
  );
}
