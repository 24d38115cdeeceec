import { Button, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactElement } from 'react';
import { useRead } from '../../api';
import { Can, useCan, useWorkspace } from '../../app';
import { connect as text } from '../../messages';
import { Failed } from '../../ui/states';
import type { ClientKeys } from './client-key';

const PAUSE_MS = 200;
const SHOWN = 50;

interface KeyPickerProps {
  readonly keys: ClientKeys;
  readonly client: string;
  readonly onMake: () => void;
}

/** Picker for an existing key of the workspace, whose secret only its owner has, or a new key. */
export function KeyPicker({ keys, client, onMake }: KeyPickerProps): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const { data } = useRead(
    'apiKeys_list',
    { query: { workspace_id, page_size: SHOWN, ...(search === '' ? {} : { search }) } },
    { enabled: useCan('apiKeys_list') },
  );
  return (
    <>
      <Select
        label={text.key}
        description={text.keyHint}
        placeholder={text.anyKey}
        searchable
        clearable
        data={(data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        filter={({ options }) => options}
        value={keys.key.id}
        onSearchChange={setTyped}
        onChange={keys.choose}
      />
      <div className="row">
        <Can operation="apiKeys_create">
          <Button size="xs" loading={keys.isPending} onClick={onMake}>
            {text.make(client)}
          </Button>
        </Can>
      </div>
      {keys.problem !== null && <Failed problem={keys.problem} />}
    </>
  );
}
