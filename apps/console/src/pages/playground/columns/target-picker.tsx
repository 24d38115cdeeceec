import { Select, type ComboboxData } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { playground as text } from '../../../messages';
import { targetOfConfig } from '../draft/request';
import { DRAFT_TARGET, type ColumnSettings } from '../search';

const PAUSE_MS = 200;
/** Number of models that the picker shows without a search. */
export const MODELS_SHOWN = 50;

interface TargetPickerProps {
  readonly column: ColumnSettings;
  readonly label: string;
  /** False on pages without a draft of a config, which then is not offered. */
  readonly hasDraft?: boolean;
  readonly onChange: (change: Pick<ColumnSettings, 'target' | 'model'>) => void;
}

const separator = '\n';
const valueOf = ({ target, model }: Pick<ColumnSettings, 'target' | 'model'>): string =>
  target + separator + model;

/** Picker of a model of the workspace's providers or of a config. The server searches both. */
export function TargetPicker({ column, label, hasDraft = true, onChange }: TargetPickerProps): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const shown = wordsOf(column);
  const query = {
    workspace_id,
    page_size: MODELS_SHOWN,
    ...(search === '' || search === shown ? {} : { search }),
  };
  const models = useRead('workspaceModels_list', { query: { ...query, enabled: true } });
  const configs = useRead('configs_list', { query }, { enabled: useCan('configs_list') });
  const value = valueOf(column);
  const offered = {
    models: (models.data?.data ?? []).map(({ slug, provider }) => {
      const way = { target: `@${provider.slug}`, model: slug };
      return { value: valueOf(way), label: wordsOf(way) };
    }),
    configs: [
      ...(configs.data?.data ?? []).map(({ slug }) => targetOfConfig(slug)),
      ...(hasDraft ? [DRAFT_TARGET] : []),
    ].map((target) => {
      const way = { target, model: column.model };
      return { value: valueOf(way), label: wordsOf(way) };
    }),
  };
  const isOffered = [...offered.models, ...offered.configs].some((option) => option.value === value);
  const data: ComboboxData = [
    ...(column.target === '' || isOffered ? [] : [{ group: text.chosen, items: [{ value, label: shown }] }]),
    { group: text.models, items: offered.models },
    { group: text.configs, items: offered.configs },
  ];
  return (
    <Select
      aria-label={label}
      placeholder={text.choose}
      searchable
      data={data}
      // The server has already filtered the options.
      filter={({ options }) => options}
      value={column.target === '' ? null : value}
      onSearchChange={setTyped}
      nothingFoundMessage={text.nothingFound}
      error={(models.error ?? configs.error)?.message}
      onChange={(next) => {
        const [target = '', model = ''] = (next ?? '').split(separator);
        if (target !== '') onChange({ target, model });
      }}
    />
  );
}

/** Describes the target of a column; empty when none is chosen. */
export function wordsOf({ target, model }: Pick<ColumnSettings, 'target' | 'model'>): string {
  if (target === DRAFT_TARGET) return text.draftOfConfig;
  if (target.startsWith(targetOfConfig(''))) return text.config(target.slice(targetOfConfig('').length));
  return model === '' ? target : text.modelAt(model, target);
}
