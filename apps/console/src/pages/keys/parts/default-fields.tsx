import { Select, Switch, Textarea } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { Pane } from '../../../ui/states';
import { textAt, type Fields } from '../../fields/fields';

const CONFIGS_MAX = 100;
type Metadata = Readonly<Record<string, string>>;

const linesOf = (metadata: Metadata | null | undefined): string =>
  Object.entries(metadata ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/**
 * Parses metadata from lines `name=value`, ignoring empty lines; null without entries, undefined
 * when a line is invalid.
 */
function metadataOf(text: string): Metadata | null | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([^=\s]+)\s*=(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return pairs.length === 0
    ? null
    : Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2]?.trim() ?? '']));
}

/**
 * Fields for the default config and metadata of requests that set none. Organisation keys have no
 * config.
 */
export function DefaultFields({
  fields,
  hasConfig,
}: {
  readonly fields: Fields;
  readonly hasConfig: boolean;
}): ReactElement {
  return (
    <Pane title={keys.steps['defaults']}>
      <div className="col fields">
        {hasConfig && <ConfigField fields={fields} />}
        <MetadataField fields={fields} />
      </div>
    </Pane>
  );
}

function ConfigField({ fields }: { readonly fields: Fields }): ReactElement {
  const workspace = useWorkspace();
  const can = useCan('configs_list');
  const { data } = useRead(
    'configs_list',
    { query: { workspace_id: workspace.id, page_size: CONFIGS_MAX, sort: 'name' } },
    { enabled: can },
  );
  const slug = textAt(fields, 'defaults.config_id');
  const known = (data?.data ?? []).map(({ slug: value, name }) => ({ value, label: `${name} (${value})` }));
  const shown =
    slug === '' || known.some(({ value }) => value === slug)
      ? known
      : [{ value: slug, label: slug }, ...known];
  return (
    <>
      <Select
        label={keys.config}
        description={keys.configHint}
        placeholder={keys.noConfig}
        clearable
        searchable
        value={slug === '' ? null : slug}
        data={shown}
        error={fields.errorOf('defaults.config_id')}
        onChange={(value) => fields.setValue('defaults.config_id', value)}
      />
      <Switch
        label={keys.override}
        checked={fields.valueOf('defaults.allow_config_override') !== false}
        onChange={({ currentTarget }) =>
          fields.setValue('defaults.allow_config_override', currentTarget.checked)
        }
      />
    </>
  );
}

function MetadataField({ fields }: { readonly fields: Fields }): ReactElement {
  const saved = linesOf(fields.valueOf('defaults.metadata') as Metadata | null);
  const [text, setText] = useState(saved);
  const [given, setGiven] = useState(saved);
  // The value changed outside of this field: another user's version was loaded, or the changes were
  // discarded.
  if (saved !== given) {
    setGiven(saved);
    if (linesOf(metadataOf(text)) !== saved) setText(saved);
  }
  const isBroken = metadataOf(text) === undefined;
  return (
    <Textarea
      label={keys.metadata}
      description={keys.metadataHint}
      autosize
      minRows={2}
      maxRows={8}
      value={text}
      error={isBroken ? keys.metadataBroken : fields.errorOf('defaults.metadata')}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const metadata = metadataOf(currentTarget.value);
        if (metadata !== undefined) fields.setValue('defaults.metadata', metadata);
      }}
    />
  );
}
