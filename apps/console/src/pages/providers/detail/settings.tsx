import type { ReactElement } from 'react';
import { Can, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { KeyValues } from '../../../ui/primitives';
import { Failed, Pane, Skeletons } from '../../../ui/states';
import { ConflictDialog, useResourceForm } from '../../../write';
import { BudgetMeter } from '../../fields/budget-meter';
import { fieldsOf } from '../../fields/fields';
import { SaveBar } from '../../fields/save-bar';
import { commonFacts } from '../parts/common-facts';
import { SettingsFields } from '../parts/settings-fields';
import { writableOf, type Provider } from '../provider-types';

/** Tab with the name, budget, rate limits and expiry of a provider. */
export function ProviderSettings({ provider }: { readonly provider: Provider }): ReactElement {
  const workspace = useWorkspace();
  const params = { path: { provider: provider.slug }, query: { workspace_id: workspace.id } };
  const form = useResourceForm({
    get: 'providers_get',
    getParams: params,
    put: 'providers_update',
    putParams: params,
    valuesOf: writableOf,
    invalidates: ['providers_list'],
    draft: `provider:${provider.id}`,
  });
  if (form.loadProblem !== null && !form.isReady)
    return <Failed problem={form.loadProblem} onRetry={form.reload} />;
  if (!form.isReady) return <Skeletons shape="form" />;
  const fields = fieldsOf(form);
  return (
    <div className="fields-columns">
      <Can operation="providers_update">
        <div className="fields-stack">
          <SettingsFields fields={fields} />
          <SaveBar form={form} />
        </div>
      </Can>
      <Facts provider={provider} />
      <ConflictDialog
        name={provider.name}
        conflict={form.conflict}
        labelOf={(path) => providers.conflictFields[path] ?? path}
      />
    </div>
  );
}

function Facts({ provider }: { readonly provider: Provider }): ReactElement {
  const { slug, integration_id, usage_limits } = provider;
  return (
    <Pane title={providers.facts}>
      <div className="col">
        <BudgetMeter limit={usage_limits} />
        <KeyValues
          items={[
            [providers.columns.slug, <code key="slug">@{slug}</code>],
            [providers.columns.integration, integration_id],
            ...commonFacts(provider),
          ]}
        />
      </div>
    </Pane>
  );
}
