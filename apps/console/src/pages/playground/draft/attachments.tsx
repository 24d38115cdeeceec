import { ActionIcon, Button } from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { bytes as size } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Note } from '../../../ui/primitives';
import { ATTACHED_TYPES, ATTACHMENTS_MAX, attachmentsOf, type Attachment } from './attachment';

interface AttachmentsProps {
  readonly attachments: readonly Attachment[];
  readonly onChange: (attachments: readonly Attachment[]) => void;
}

/** List of the files that are sent with the last user message. */
export function Attachments({ attachments, onChange }: AttachmentsProps): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [isTooLarge, setTooLarge] = useState(false);
  const attach = async (files: readonly File[]): Promise<void> => {
    const next = await attachmentsOf(files, attachments);
    setTooLarge(next === null);
    if (next !== null) onChange(next);
  };
  return (
    <div className="col private">
      {attachments.map(({ name, bytes }, at) => (
        // Two files may have the same name, so the index is the key.
        <span className="row xs" key={at}>
          <span className="ell">{name}</span> <span className="muted nowrap">{size(bytes)}</span>
          <ActionIcon
            className="right"
            size="sm"
            aria-label={text.detach(name)}
            onClick={() => onChange(attachments.filter((_, index) => index !== at))}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </span>
      ))}
      {isTooLarge && <Note tone="warn">{text.tooLarge(size(ATTACHMENTS_MAX))}</Note>}
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={ATTACHED_TYPES}
        aria-label={text.attach}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // Clears the input, so that the same file can be chosen again.
          currentTarget.value = '';
          if (files.length > 0) void attach(files);
        }}
      />
      <span>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => input.current?.click()}
        >
          {text.attach}
        </Button>
      </span>
    </div>
  );
}
