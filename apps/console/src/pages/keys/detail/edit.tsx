import { type ReactElement } from 'react';
import { Can } from '../../../app';
import { keys } from '../../../messages';
import { Failed, Pane, Skeletons } from '../../../ui/states';
import { ConflictDialog, useResourceForm } from '../../../write';
import { BudgetFields } from '../../fields/budget-fields';
import { fieldsOf } from '../../fields/fields';
import { RateFields } from '../../fields/rate-fields';
import { SaveBar } from '../../fields/save-bar';
import { writableOf, type ApiKey } from '../key-types';
import { DefaultFields } from '../parts/default-fields';
import { LifeFields } from '../parts/life-fields';
import { NameFields } from '../parts/purpose-fields';
import { ScopeFields } from '../parts/scope-fields';
import { useHeldScopes } from '../scopes';
import { shownValue } from './shown-value';

/** Form for the settings of a key. Sends only the changed members. */
export function KeyEdit({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const { id, type, name } = apiKey;
  const held = useHeldScopes();
  const form = useResourceForm({
    get: 'apiKeys_get',
    getParams: { path: { id } },
    put: 'apiKeys_update',
    putParams: { path: { id } },
    valuesOf: writableOf,
    invalidates: ['apiKeys_list'],
    draft: `key:${id}`,
  });
  if (form.loadProblem !== null && !form.isReady)
    return <Failed problem={form.loadProblem} onRetry={form.reload} />;
  if (!form.isReady) return <Skeletons shape="form" />;
  const fields = fieldsOf(form);
  return (
    <Can operation="apiKeys_update">
      <div className="fields-stack">
        <Pane>
          <NameFields fields={fields} />
        </Pane>
        <BudgetFields fields={fields} />
        <RateFields fields={fields} />
        <ScopeFields fields={fields} type={type} held={held} />
        <DefaultFields fields={fields} hasConfig={type !== 'organisation-service'} />
        <LifeFields fields={fields} isEnforced={apiKey.expiry_enforced === 1} />
        <SaveBar form={form} />
      </div>
      <ConflictDialog
        name={name}
        conflict={form.conflict}
        labelOf={(path) => keys.fields[path] ?? path}
        shown={shownValue}
      />
    </Can>
  );
}
