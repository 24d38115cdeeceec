import type { ReactElement } from 'react';
import { generatesText, isRecordingApi } from '../../../gateway';
import { playground as text } from '../../../messages';
import { Badge } from '../../../ui/primitives';
import { DRAFT_TARGET, type PlaygroundSettings } from '../search';
import { takesAttachments } from './attachment';
import { Attachments } from './attachments';
import { Composer, Variables } from './composer';
import { ConfigDraft } from './config-draft';
import { variablesOf, type Draft } from './draft';
import { RawInput, SingleInput } from './inputs';
import { JsonField } from './json-field';
import { Parameters, StreamSwitch } from './parameters';
import { RecordingInput } from './recording-input';
import { isSingleInput } from './request';

interface SideProps {
  readonly settings: PlaygroundSettings;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly onChange: (changed: Partial<PlaygroundSettings>) => void;
}

/** Inputs that all columns share, which depend on the API. */
export function Side({ settings, draft, onDraft, onChange }: SideProps): ReactElement {
  const { api, isStreamed, columns } = settings;
  return (
    <>
      {columns.some(({ target }) => target === DRAFT_TARGET) && (
        <ConfigDraft draft={draft} onChange={onDraft} />
      )}
      {api === 'raw' ? (
        <RawInput draft={draft} onChange={onDraft} />
      ) : isSingleInput(api) ? (
        <>
          <SingleInput api={api} draft={draft} onChange={onDraft} />
          <Variables names={variablesOf(draft)} draft={draft} onChange={onDraft} />
        </>
      ) : (
        <Composer draft={draft} onChange={onDraft} />
      )}
      {isRecordingApi(api) && (
        <RecordingInput
          recording={draft.recording}
          onChange={(recording) => onDraft({ ...draft, recording })}
        />
      )}
      {takesAttachments(api) && (
        <Attachments
          attachments={draft.attachments}
          onChange={(attachments) => onDraft({ ...draft, attachments })}
        />
      )}
      {generatesText(api) && (
        <>
          <Parameters values={settings} usual={text.providersOwn} onChange={onChange} />
          <StreamSwitch isStreamed={isStreamed} onChange={(next) => onChange({ isStreamed: next })} />
        </>
      )}
      {api !== 'raw' && <MoreMembers draft={draft} onDraft={onDraft} />}
    </>
  );
}

/**
 * Shows the members of the body without an input of their own, such as tools or the response
 * format.
 */
function MoreMembers({ draft, onDraft }: Pick<SideProps, 'draft' | 'onDraft'>): ReactElement {
  const names = Object.keys(draft.rest);
  return (
    <details className="private">
      <summary className="xs">
        <span className="playground-members">
          {text.more}
          {names.map((name) => (
            <Badge key={name} tone="outline" mono>
              {name}
            </Badge>
          ))}
        </span>
      </summary>
      <JsonField
        label={text.members}
        description={text.membersHint}
        value={draft.rest}
        onChange={(rest) => onDraft({ ...draft, rest })}
      />
    </details>
  );
}
