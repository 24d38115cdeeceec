import { Button, Modal, Textarea } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import type { Replay } from '../draft/replay';
import { readCurl } from './read-curl';
import { takenOver } from './taken-over';

interface PasteDialogProps {
  readonly onClose: () => void;
  readonly onTake: (taken: Replay) => void;
}

/**
 * Dialog that imports a pasted curl command. Only this dialog holds the command, because it may
 * contain a key.
 */
export function PasteDialog({ onClose, onTake }: PasteDialogProps): ReactElement {
  const [command, setCommand] = useState('');
  const read = readCurl(command);
  const fault = typeof read === 'string' ? read : null;
  return (
    <Modal opened onClose={onClose} title={text.curlTitle} size={680}>
      <div className="col private">
        <Textarea
          data-autofocus
          label={text.curlCommand}
          description={text.curlHint}
          autosize
          minRows={6}
          maxRows={20}
          spellCheck={false}
          className="playground-json"
          value={command}
          error={command === '' || fault === null ? undefined : text.curlBroken[fault]}
          onChange={({ currentTarget }) => setCommand(currentTarget.value)}
        />
        <span className="row">
          <Button
            variant="filled"
            className="right"
            disabled={fault !== null}
            onClick={() => typeof read !== 'string' && onTake(takenOver(read))}
          >
            {text.curlTake}
          </Button>
        </span>
      </div>
    </Modal>
  );
}
