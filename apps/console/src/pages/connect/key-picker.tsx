import { Button, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactElement } from 'react';
import { useRead } from '../../api';
import { Can, useCan, useWorkspace } from '../../app';
import { connect as text } from '../../messages';
import { Failed } from '../../ui/states';
import type { ClientKeys } from './client-key';

/** Pause in typing after which the search is sent. */
const SEARCH_PAUSE_MS = 200;
const KEYS_SHOWN_MAX = 50;

interface KeyPickerProps {
  readonly keys: ClientKeys;
  /** Label of the client for which a key is created. */
  readonly client: string;
  readonly onMake: () => void;
}

/**
 * Picker of a key of the workspace, which can also create one. The page knows the secret only of a
 * key that it created.
 */
export function KeyPicker({ keys, client, onMake }: KeyPickerProps): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), SEARCH_PAUSE_MS);
  const chosen = keys.key;
  const { data, error } = useRead(
    'apiKeys_list',
    {
      query: {
        workspace_id,
        page_size: KEYS_SHOWN_MAX,
        // The field shows the name of the chosen key, which is no search.
        ...(search === '' || search === chosen.name ? {} : { search }),
      },
    },
    { enabled: useCan('apiKeys_list') },
  );
  const listed = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isListed = chosen.id === null || listed.some(({ value }) => value === chosen.id);
  const offered = isListed ? listed : [{ value: chosen.id, label: chosen.name }, ...listed];
  return (
    <>
      <Select
        label={text.key}
        description={text.keyHint}
        placeholder={text.anyKey}
        searchable
        clearable
        data={offered}
        // The server has already filtered the options.
        filter={({ options }) => options}
        value={chosen.id}
        onSearchChange={setTyped}
        nothingFoundMessage={data === undefined ? undefined : text.noKey}
        error={error?.message}
        onChange={(id) => {
          const option = offered.find(({ value }) => value === id);
          keys.choose(option === undefined ? null : { id: option.value, name: option.label });
        }}
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
