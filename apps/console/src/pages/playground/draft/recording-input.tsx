import { ActionIcon, Button } from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { bytes } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Note } from '../../../ui/primitives';
import { RECORDED_TYPES, RECORDING_MAX, recordingFault } from './recording';

interface RecordingInputProps {
  readonly recording: File | null;
  readonly onChange: (recording: File | null) => void;
}

/** Input for the audio file to transcribe or translate. */
export function RecordingInput({ recording, onChange }: RecordingInputProps): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const choose = (file: File): void => {
    const found = recordingFault(file);
    setFault(found);
    if (found === null) onChange(file);
  };
  return (
    <section className="col private" aria-label={text.recording}>
      {recording !== null && (
        <span className="row xs">
          <span className="ell">{recording.name}</span>
          <span className="muted nowrap">{bytes(recording.size)}</span>
          <ActionIcon
            className="right"
            size="sm"
            aria-label={text.removeRecording(recording.name)}
            onClick={() => onChange(null)}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </span>
      )}
      {fault !== null && (
        <Note tone="danger">
          <span role="alert">{fault}</span>
        </Note>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept={RECORDED_TYPES}
        aria-label={text.chooseRecording}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) choose(file);
          // Clears the input, so that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <span>
        <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => input.current?.click()}>
          {text.chooseRecording}
        </Button>
      </span>
      <p className="xs muted">{text.recordingHint(bytes(RECORDING_MAX))}</p>
    </section>
  );
}
