import { Button, Select, TextInput } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { call, problemFrom, useRead } from '../../../api';
import { useCan } from '../../../app';
import { providers } from '../../../messages';
import { Note, TextButton } from '../../../ui/primitives';
import { isMasked } from '../../../write';
import type { Fields } from '../../fields/fields';
import { mappingOf, mappingsWith, type SecretMapping } from './secret-mappings';

interface SecretSourceProps {
  /** Field that the secret fills in: `key` or `configurations.<field>`. */
  readonly target: string;
  readonly label: string;
  readonly fields: Fields;
  /** Input for entering the secret. */
  readonly children: ReactNode;
}

/**
 * Field for a secret that the user enters or that a secret reference reads from a secret manager.
 */
export function SecretSource({ target, label, fields, children }: SecretSourceProps): ReactElement {
  const can = useCan('secretReferences_list');
  const mapping = mappingOf(fields, target);
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    // A secret that was typed before is not sent unseen.
    const typed = fields.valueOf(target);
    if (typeof typed === 'string' && typed !== '' && !isMasked(typed)) fields.setValue(target, null);
    setOpen(true);
  };
  const set = (next: SecretMapping | null): void =>
    fields.setValue('secret_mappings', mappingsWith(fields, target, next));
  if (mapping === undefined && !isOpen)
    return (
      <div>
        {children}
        {can && (
          <p className="xs">
            <TextButton onClick={open}>{providers.fromManager}</TextButton>
          </p>
        )}
      </div>
    );
  return (
    <fieldset className="col secret-source">
      <legend>{label}</legend>
      <p className="sub xs">{providers.managerHint}</p>
      {can ? (
        <ReferencePicker target={target} mapping={mapping} fields={fields} onChange={set} />
      ) : (
        <code>{mapping?.secret_reference_id}</code>
      )}
      <p className="xs">
        <TextButton
          onClick={() => {
            set(null);
            setOpen(false);
          }}
        >
          {providers.typeInstead}
        </TextButton>
      </p>
    </fieldset>
  );
}

interface ReferencePickerProps {
  readonly target: string;
  readonly mapping: SecretMapping | undefined;
  readonly fields: Fields;
  readonly onChange: (mapping: SecretMapping) => void;
}

const REFERENCES_MAX = 50;

function ReferencePicker({ target, mapping, fields, onChange }: ReferencePickerProps): ReactElement {
  const [search, setSearch] = useState('');
  const query = { page_size: REFERENCES_MAX, ...(search === '' ? {} : { search }) };
  const { data, error } = useRead('secretReferences_list', { query }, { staleTime: 30_000 });
  const offered = (data?.data ?? []).map(({ id, name, manager_type }) => ({
    value: id,
    label: `${name} · ${providers.managers[manager_type] ?? manager_type}`,
  }));
  const reference = mapping?.secret_reference_id ?? null;
  const isUnlisted = reference !== null && !offered.some(({ value }) => value === reference);
  return (
    <>
      <div className="fields-row">
        <Select
          label={providers.reference}
          searchable
          placeholder={providers.chooseReference}
          nothingFoundMessage={providers.noReference}
          value={reference}
          data={isUnlisted ? [{ value: reference, label: reference }, ...offered] : offered}
          error={error?.message ?? fields.errorOf('secret_mappings')}
          onSearchChange={(text) =>
            setSearch(offered.some(({ label }) => label === text) || text === reference ? '' : text)
          }
          onChange={(id) =>
            id !== null && onChange({ ...mapping, target_field: target, secret_reference_id: id })
          }
        />
        <TextInput
          label={providers.secretKey}
          description={providers.secretKeyHint}
          disabled={mapping === undefined}
          value={mapping?.secret_key ?? ''}
          onChange={({ currentTarget: { value } }) =>
            mapping !== undefined && onChange({ ...mapping, secret_key: value === '' ? null : value })
          }
        />
      </div>
      {reference !== null && <ReferenceTest key={reference} reference={reference} />}
    </>
  );
}

/**
 * Button that tests whether the secret manager returns the secret of a reference. The secret itself
 * is never shown.
 */
function ReferenceTest({ reference }: { readonly reference: string }): ReactElement | null {
  const can = useCan('secretReferences_test');
  const [state, setState] = useState<'idle' | 'sending'>('idle');
  const [answer, setAnswer] = useState<{ readonly ok: boolean; readonly message: string } | null>(null);
  if (!can) return null;
  const test = async (): Promise<void> => {
    setState('sending');
    try {
      const { data } = await call('secretReferences_test', { path: { reference } });
      setAnswer({ ok: data.success, message: data.message ?? providers.referenceWorks });
    } catch (error) {
      setAnswer({ ok: false, message: problemFrom(error).message });
    } finally {
      setState('idle');
    }
  };
  return (
    <div className="col">
      <span>
        <Button size="xs" loading={state === 'sending'} onClick={() => void test()}>
          {providers.testReference}
        </Button>
      </span>
      {answer !== null && <Note tone={answer.ok ? 'ok' : 'danger'}>{answer.message}</Note>}
    </div>
  );
}
