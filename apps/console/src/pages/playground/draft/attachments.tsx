import { ActionIcon, Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { bytes as size } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Note } from '../../../ui/primitives';
import { ATTACHED_TYPES, ATTACHMENTS_MAX, attachmentsOf, joined, type Attachment } from './attachment';

interface AttachmentsProps {
  readonly attachments: readonly Attachment[];
  readonly onChange: (attachments: readonly Attachment[]) => void;
}

/** List of the files that are sent with the last user message. */
export function Attachments(props: AttachmentsProps): ReactElement {
  const { attachments, onChange } = props;
  // The draft can change while files are read.
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const input = useRef<HTMLInputElement>(null);
  const [isTooLarge, setTooLarge] = useState(false);
  const attach = async (files: readonly File[]): Promise<void> => {
    const read = await attachmentsOf(files, attachments);
    const next = read && joined(latest.current.attachments, read.slice(attachments.length));
    setTooLarge(next === null);
    if (next !== null) latest.current.onChange(next);
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
