import { Button, Radio, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactElement, type SyntheticEvent } from 'react';
import { call, problemFrom, type Problem } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Note } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import { textAt } from '../../fields/fields';
import { useNewFields } from '../../fields/use-new-fields';
import { LeaveGuard } from '../../../write';
import { CredentialFields } from '../parts/credential-fields';
import { TestPane } from '../parts/test-pane';
import { useCredentialTest } from '../parts/use-credential-test';
import type { CatalogueProvider, IntegrationBody } from '../provider-types';
import { virtualKeyOf, type VirtualKeyBody } from '../virtual-keys/virtual-key';
import { bodyOf, slugOf, testOf, type NewProvider } from './new-provider';

/**
 * Form for the name, credential and settings of a new provider. Only the state of this component
 * holds the inputs.
 */
export function NewProviderForm({ provider }: { readonly provider: CatalogueProvider }): ReactElement {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const isInFlight = useRef(false);
  const { values, fields, isChanged } = useNewFields<NewProvider>({ name: provider.name }, { problem });
  const [kind, setKind] = useState<Kind>('provider');
  const canVirtualKey = useCan('virtualKeys_create');
  const body = bodyOf(values, provider, workspace.id);
  const test = useCredentialTest(testOf(values, provider, workspace.id));
  const virtualKey = virtualKeyOf(values, provider, workspace.id);
  const isVirtualKey = kind === 'virtualKey' && virtualKey !== null;
  const save = async (): Promise<void> => {
    if (isInFlight.current) return;
    isInFlight.current = true;
    setSending(true);
    setProblem(null);
    try {
      const slug = isVirtualKey ? await createVirtualKey(virtualKey) : await createIntegration(body);
      await queries.invalidateQueries({ queryKey: [isVirtualKey ? 'virtualKeys_list' : 'providers_list'] });
      const params = { ws: workspace.slug, provider: slug };
      await navigate({ to: '/w/$ws/providers/$provider', params, replace: true });
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      isInFlight.current = false;
      setSending(false);
    }
  };
  return (
    <form
      className="fields-columns"
      aria-label={provider.name}
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault();
        void save();
      }}
    >
      <Pane
        title={provider.name}
        actions={
          provider.documentation === null ? undefined : (
            <a href={provider.documentation} target="_blank" rel="noreferrer">
              {providers.docs}
            </a>
          )
        }
      >
        <div className="col fields">
          <div className="fields-row">
            <TextInput
              label={providers.name}
              required
              autoComplete="off"
              value={textAt(fields, 'name')}
              error={fields.errorOf('name')}
              onChange={({ currentTarget }) => fields.setValue('name', currentTarget.value)}
            />
            <TextInput
              label={providers.slug}
              description={providers.slugHint}
              leftSection="@"
              autoComplete="off"
              value={textAt(fields, 'slug')}
              placeholder={slugOf(textAt(fields, 'name'))}
              error={fields.errorOf('slug') ?? fields.errorOf('default_provider_slug')}
              onChange={({ currentTarget }) => fields.setValue('slug', currentTarget.value)}
            />
          </div>
          <CredentialFields provider={provider} fields={fields} />
          {canVirtualKey && (
            <KindField
              kind={isVirtualKey ? 'virtualKey' : 'provider'}
              isPossible={virtualKey !== null}
              onChange={setKind}
            />
          )}
          {problem !== null && <Note tone="danger">{problem.message}</Note>}
        </div>
      </Pane>
      <div className="fields-stack">
        <TestPane test={test} />
        <Pane title={providers.saving}>
          <ul className="checks">
            {(isVirtualKey
              ? [providers.savingVirtualKey(body.slug ?? '', workspace.name)]
              : [
                  providers.savingIntegration(body.name === '' ? providers.unnamed : body.name),
                  providers.savingProvider(body.slug ?? '', workspace.name),
                  providers.savingModels,
                ]
            ).map((line) => (
              <li key={line} className="row">
                <Icon name="plus" size={14} /> {line}
              </li>
            ))}
          </ul>
        </Pane>
        <LeaveGuard isDirty={isChanged && !isSending} />
        <Button type="submit" variant="filled" loading={isSending} disabled={body.name === ''}>
          {providers.save}
        </Button>
      </div>
    </form>
  );
}

type Kind = 'provider' | 'virtualKey';

async function createIntegration(body: IntegrationBody): Promise<string> {
  await call('integrations_create', {}, { body });
  return body.slug ?? '';
}

async function createVirtualKey(body: VirtualKeyBody): Promise<string> {
  const { data } = await call('virtualKeys_create', {}, { body });
  return data.data.slug;
}

interface KindFieldProps {
  readonly kind: Kind;
  /** False when the form has a setting that virtual keys lack. */
  readonly isPossible: boolean;
  readonly onChange: (kind: Kind) => void;
}

/** Choice between an integration with a provider and a virtual key. */
function KindField({ kind, isPossible, onChange }: KindFieldProps): ReactElement {
  return (
    <Radio.Group label={providers.saveAs} value={kind} onChange={onChange}>
      <div className="fields-row fields-cards">
        <Radio value="provider" label={providers.kinds.provider} description={providers.kindHints.provider} />
        <Radio
          value="virtualKey"
          disabled={!isPossible}
          label={providers.kinds.virtualKey}
          description={isPossible ? providers.kindHints.virtualKey : providers.kindHints.notPossible}
        />
      </div>
    </Radio.Group>
  );
}
