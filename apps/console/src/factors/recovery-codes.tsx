import { Button, Checkbox } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { factors as text } from '../messages';
import { Icon } from '../ui/icons/icon';
import { CopyButton } from '../ui/primitives';
import { saveFile } from '../ui/save-file';
import './factors.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** Called when the user is done; the caller must then drop the codes. */
  readonly onDone: () => void;
}

/** Shows recovery codes once. The user can continue only after confirming that they are saved. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps): ReactElement {
  const [isKept, setKept] = useState(false);
  const group = useRef<HTMLDivElement>(null);
  // The element with the focus was removed; the focus on the group lets screen readers announce it.
  useEffect(() => group.current?.focus(), []);
  const all = codes.join('\n');
  return (
    <div className="factor-form" role="group" aria-label={text.codes} tabIndex={-1} ref={group}>
      <p>{text.codesLead}</p>
      <ul className="factor-codes private">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <span className="row">
        <CopyButton text={all} label={text.copyCodes} size="control" />
        <Button
          leftSection={<Icon name="download" size={14} />}
          onClick={() => saveFile(text.codesFile, `${all}\n`)}
        >
          {text.saveCodes}
        </Button>
      </span>
      <Checkbox
        checked={isKept}
        label={text.kept}
        onChange={({ currentTarget }) => setKept(currentTarget.checked)}
      />
      <Button variant="filled" disabled={!isKept} onClick={onDone}>
        {text.goOn}
      </Button>
    </div>
  );
}
