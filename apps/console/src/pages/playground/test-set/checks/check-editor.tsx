import { Select, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useRead } from '../../../../api';
import { useCan, useWorkspace } from '../../../../app';
import { checkWords as text } from '../../../../messages/en/test-sets';
import { TargetPicker } from '../../columns/target-picker';
import { NEW_COLUMN } from '../../search';
import type { Check, CheckKind } from './check';

const GUARDRAILS_MAX = 100;
const NONE = 'none';
const KINDS: readonly CheckKind[] = ['contains', 'regex', 'schema', 'judge', 'guardrail'];

const NEW: Readonly<Record<CheckKind, Check>> = {
  contains: { kind: 'contains', text: '' },
  regex: { kind: 'regex', pattern: '' },
  schema: { kind: 'schema', schema: '' },
  judge: { kind: 'judge', criterion: '', target: '', model: '' },
  guardrail: { kind: 'guardrail', guardrail: '' },
};

interface CheckEditorProps {
  readonly label: string;
  readonly check: Check | null;
  /** Label of the option without a check. */
  readonly none: string;
  readonly onChange: (check: Check | null) => void;
}

/** Editor for the kind of a check and its settings. */
export function CheckEditor({ label, check, none, onChange }: CheckEditorProps): ReactElement {
  const canInvoke = useCan('guardrails_invoke');
  const canList = useCan('guardrails_list');
  const kinds = KINDS.filter((kind) => kind !== 'guardrail' || (canInvoke && canList));
  return (
    <section className="tests-check" aria-label={label}>
      <Select
        label={label}
        allowDeselect={false}
        value={check?.kind ?? NONE}
        data={[
          { value: NONE, label: none },
          ...kinds.map((kind) => ({ value: kind, label: text.kinds[kind] })),
        ]}
        onChange={(kind) => onChange(kind === null || kind === NONE ? null : NEW[kind])}
      />
      {check !== null && <CheckFields check={check} onChange={onChange} />}
    </section>
  );
}

interface FieldsProps<T extends Check = Check> {
  readonly check: T;
  readonly onChange: (check: Check) => void;
}

function CheckFields({ check, onChange }: FieldsProps): ReactElement {
  switch (check.kind) {
    case 'contains':
      return (
        <TextInput
          label={text.text}
          description={text.textHint}
          className="grow private"
          value={check.text}
          onChange={({ currentTarget }) => onChange({ ...check, text: currentTarget.value })}
        />
      );
    case 'regex':
      return (
        <TextInput
          label={text.pattern}
          description={text.patternHint}
          className="grow"
          spellCheck={false}
          value={check.pattern}
          onChange={({ currentTarget }) => onChange({ ...check, pattern: currentTarget.value })}
        />
      );
    case 'schema':
      return (
        <Textarea
          label={text.schema}
          className="grow playground-json"
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          value={check.schema}
          onChange={({ currentTarget }) => onChange({ ...check, schema: currentTarget.value })}
        />
      );
    case 'judge':
      return <JudgeFields check={check} onChange={onChange} />;
    case 'guardrail':
      return <GuardrailField check={check} onChange={onChange} />;
  }
}

function JudgeFields({ check, onChange }: FieldsProps<Extract<Check, { kind: 'judge' }>>): ReactElement {
  return (
    <>
      <div>
        <span className="xs">{text.judge}</span>
        <TargetPicker
          column={{ ...NEW_COLUMN, target: check.target, model: check.model }}
          label={text.judge}
          onChange={({ target, model }) => onChange({ ...check, target, model })}
        />
      </div>
      <Textarea
        label={text.criterion}
        description={text.criterionHint}
        className="grow private"
        autosize
        minRows={1}
        maxRows={8}
        value={check.criterion}
        onChange={({ currentTarget }) => onChange({ ...check, criterion: currentTarget.value })}
      />
    </>
  );
}

function GuardrailField({
  check,
  onChange,
}: FieldsProps<Extract<Check, { kind: 'guardrail' }>>): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const { data, error } = useRead('guardrails_list', { query: { workspace_id, page_size: GUARDRAILS_MAX } });
  return (
    <Select
      label={text.guardrailLabel}
      placeholder={text.guardrailPick}
      searchable
      value={check.guardrail === '' ? null : check.guardrail}
      data={(data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name }))}
      error={error?.message}
      onChange={(guardrail) => onChange({ ...check, guardrail: guardrail ?? '' })}
    />
  );
}
