import { Select, Textarea } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { call, problemFrom, useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { playground as text } from '../../../messages';
import { configHeader, type Draft } from './draft';

const CONFIGS_MAX = 100;
const EXAMPLE = '{ "provider": "@openai", "retry": { "attempts": 2 } }';

interface ConfigDraftProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/**
 * Editor of a config that is sent with the requests and not saved. It can start as a copy of a
 * saved config.
 */
export function ConfigDraft({ draft, onChange }: ConfigDraftProps): ReactElement {
  // A saved config can arrive after the user has changed the draft.
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  const isBroken = draft.config !== '' && configHeader(draft.config) === null;
  return (
    <section className="col" aria-label={text.draftOfConfig}>
      <SavedConfigs onChoose={(config) => onChange({ ...latest.current, config })} />
      <Textarea
        label={text.draftOfConfig}
        description={text.draftHint}
        placeholder={EXAMPLE}
        autosize
        minRows={5}
        maxRows={24}
        spellCheck={false}
        className="playground-json"
        value={draft.config}
        error={isBroken ? text.jsonBroken : undefined}
        onChange={({ currentTarget }) => onChange({ ...draft, config: currentTarget.value })}
      />
    </section>
  );
}

function SavedConfigs({ onChoose }: { readonly onChoose: (config: string) => void }): ReactElement | null {
  const { id: workspace_id } = useWorkspace();
  const can = useCan('configs_get');
  const canList = useCan('configs_list');
  const query = { workspace_id, page_size: CONFIGS_MAX };
  const { data } = useRead('configs_list', { query }, { enabled: can && canList });
  const [problem, setProblem] = useState<string | null>(null);
  const configs = data?.data ?? [];
  if (configs.length === 0) return null;
  const choose = async (config: string): Promise<void> => {
    setProblem(null);
    try {
      const { data: saved } = await call('configs_get', { path: { config }, query: { workspace_id } });
      onChoose(indented(saved.config));
    } catch (error) {
      setProblem(problemFrom(error).message);
    }
  };
  return (
    <Select
      label={text.startFrom}
      searchable
      placeholder={text.startFromHint}
      value={null}
      data={configs.map(({ slug, name }) => ({ value: slug, label: name }))}
      error={problem}
      onChange={(slug) => slug !== null && void choose(slug)}
    />
  );
}

/** Indents the JSON of a config; returns it unchanged when it is invalid. */
function indented(config: string): string {
  try {
    return JSON.stringify(JSON.parse(config), null, 2);
  } catch {
    return config;
  }
}
