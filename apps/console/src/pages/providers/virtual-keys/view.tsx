import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { Can, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Badge, KeyValues, ProviderMark } from '../../../ui/primitives';
import { Failed, Pane, Skeletons } from '../../../ui/states';
import { ConflictDialog, isMasked, LeaveGuard, useResourceForm } from '../../../write';
import { BudgetMeter } from '../../fields/budget-meter';
import { fieldsOf, textAt } from '../../fields/fields';
import { SaveBar } from '../../fields/save-bar';
import { commonFacts } from '../parts/common-facts';
import { keepingMasks } from '../parts/keeping-masks';
import { KeyField } from '../parts/credential-fields';
import { SecretSource } from '../parts/secret-source';
import { SettingsFields } from '../parts/settings-fields';
import { writableOf, type VirtualKey } from './virtual-key';

/** Forms for the credential, name, limits and expiry of a virtual key. */
export function VirtualKeyView({ virtualKey }: { readonly virtualKey: VirtualKey }): ReactElement {
  const workspace = useWorkspace();
  const params = {
    path: { virtualKey: virtualKey.slug },
    query: { workspace_id: workspace.id },
  };
  const form = useResourceForm({
    get: 'virtualKeys_get',
    getParams: params,
    put: 'virtualKeys_update',
    putParams: params,
    valuesOf: writableOf,
    secrets: ['key'],
    invalidates: ['virtualKeys_list'],
  });
  if (form.loadProblem !== null && !form.isReady)
    return <Failed problem={form.loadProblem} onRetry={form.reload} />;
  if (!form.isReady) return <Skeletons shape="form" />;
  const fields = keepingMasks(fieldsOf(form), writableOf(virtualKey));
  return (
    <div className="fields-columns">
      <Can operation="virtualKeys_update">
        <div className="fields-stack">
          <Pane title={providers.tabs['credential']}>
            <div className="col fields">
              <SecretSource target="key" label={providers.key} fields={fields}>
                <KeyField fields={fields} />
              </SecretSource>
              <TextInput
                label={providers.fieldName('custom_host')}
                description={providers.hostNeedsKey}
                value={textAt(fields, 'custom_host')}
                error={fields.errorOf('custom_host')}
                onChange={({ currentTarget: { value } }) =>
                  fields.setValue('custom_host', value === '' ? null : value)
                }
              />
            </div>
          </Pane>
          <SettingsFields fields={fields} />
          <SaveBar form={form} />
          <LeaveGuard isDirty={form.changed.length > 0} />
        </div>
      </Can>
      <Facts virtualKey={virtualKey} />
      <ConflictDialog
        name={virtualKey.name}
        conflict={form.conflict}
        labelOf={(path) => providers.conflictFields[path] ?? providers.fieldName(path)}
        shown={(path, value) =>
          path === 'key' && !isMasked(value) ? providers.newSecret : JSON.stringify(value ?? null)
        }
      />
    </div>
  );
}

function Facts({ virtualKey }: { readonly virtualKey: VirtualKey }): ReactElement {
  const { slug, provider, masked_api_key: mask, usage_limits } = virtualKey;
  return (
    <Pane title={providers.virtualKey} actions={<Badge>{providers.virtualKeyHint}</Badge>}>
      <div className="col">
        <BudgetMeter limit={usage_limits} />
        <KeyValues
          items={[
            [providers.columns.slug, <code key="slug">@{slug}</code>],
            [
              providers.facts,
              <ProviderMark key="provider" provider={provider}>
                {provider}
              </ProviderMark>,
            ],
            [providers.key, mask === null ? '–' : <code key="key">{mask}</code>],
            ...commonFacts(virtualKey),
          ]}
        />
      </div>
    </Pane>
  );
}
