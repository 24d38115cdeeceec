import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { problemFrom, useRead } from '../../../api';
import { useRefusal, WhyNot } from '../../../app';
import { providers } from '../../../messages';
import { Note } from '../../../ui/primitives';
import { Failed, Loaded, NotAllowed, Pane, Skeletons } from '../../../ui/states';
import { ConflictDialog, isMasked, LeaveGuard, useResourceForm } from '../../../write';
import { fieldsOf, textAt } from '../../fields/fields';
import { SaveBar } from '../../fields/save-bar';
import { CredentialFields } from '../parts/credential-fields';
import { keepingMasks } from '../parts/keeping-masks';
import { TestPane } from '../parts/test-pane';
import { useCredentialTest } from '../parts/use-credential-test';
import { credentialOf, type CatalogueProvider, type Integration } from '../provider-types';
import { changesToTest } from './changes-to-test';

/**
 * Tab with the credential of a provider, which its integration holds. A new value can be tested
 * before it is saved.
 */
export function CredentialTab({ integration: slug }: { readonly integration: string }): ReactElement {
  const refusal = useRefusal('integrations_update');
  const integration = useRead(
    'integrations_get',
    { path: { integration: slug } },
    { enabled: refusal === null },
  );
  const catalogue = useRead('providerCatalogue_list', {}, { staleTime: Infinity, enabled: refusal === null });
  if (refusal !== null)
    return (
      <NotAllowed missing={refusal.scopes.join(', ')}>
        <WhyNot refusal={refusal} />
      </NotAllowed>
    );
  return (
    <Loaded query={integration} problemOf={problemFrom} skeleton={<Skeletons shape="form" />}>
      {(shown) => {
        const provider = catalogue.data?.data.find(({ id }) => id === shown.ai_provider_id);
        if (provider !== undefined) return <CredentialForm integration={shown} provider={provider} />;
        return catalogue.error === null ? <Skeletons shape="form" /> : <Failed problem={catalogue.error} />;
      }}
    </Loaded>
  );
}

interface CredentialFormProps {
  readonly integration: Integration;
  readonly provider: CatalogueProvider;
}

function CredentialForm({ integration, provider }: CredentialFormProps): ReactElement {
  const { slug, name, workspace_count } = integration;
  const path = { path: { integration: slug } };
  const form = useResourceForm({
    get: 'integrations_get',
    getParams: path,
    put: 'integrations_update',
    putParams: path,
    valuesOf: credentialOf,
    secrets: ['key', 'configurations'],
    invalidates: ['integrations_list', 'providers_list'],
  });
  const test = useCredentialTest(changesToTest(slug, form.changed, form.valueOf));
  if (form.loadProblem !== null && !form.isReady)
    return <Failed problem={form.loadProblem} onRetry={form.reload} />;
  if (!form.isReady) return <Skeletons shape="form" />;
  const fields = keepingMasks(fieldsOf(form), credentialOf(integration));
  const { save, undo } = form;
  const saveTested = () => test.follow(save(), changesToTest(slug, [], form.valueOf));
  const undoTested = undo && (() => test.follow(undo(), null));
  return (
    <div className="fields-columns">
      <div className="fields-stack">
        {workspace_count > 1 && <Note tone="warn">{providers.credentialShared(workspace_count)}</Note>}
        <Pane title={providers.columns.integration}>
          <div className="col fields">
            <TextInput
              label={providers.name}
              required
              value={textAt(fields, 'name')}
              error={fields.errorOf('name')}
              onChange={({ currentTarget }) => fields.setValue('name', currentTarget.value)}
            />
            <CredentialFields provider={provider} fields={fields} />
          </div>
        </Pane>
        <SaveBar form={{ ...form, save: saveTested, undo: undoTested }} />
        <LeaveGuard isDirty={form.changed.length > 0} />
      </div>
      <TestPane test={{ ...test, isStale: test.isStale && !form.isSaving }} />
      <ConflictDialog
        name={name}
        conflict={form.conflict}
        labelOf={(at) =>
          providers.conflictFields[at] ?? providers.fieldName(at.replace('configurations.', ''))
        }
        shown={(at, value) => shownValue(at, value, provider)}
      />
    </div>
  );
}

/** Formats a value for the dialog on conflicting changes; hides secrets that the user typed. */
function shownValue(path: string, value: unknown, { configurations }: CatalogueProvider): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string' && isMasked(value)) return value;
  const field = configurations.find(({ name }) => path === `configurations.${name}`);
  if (path === 'key' || field?.secret === true) return providers.newSecret;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
