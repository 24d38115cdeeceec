import { useEffect, useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { bytes } from '../format';
import { Icon } from '../icons/icon';

/** Image types that the page shows. SVG is excluded because it is a document. */
const IMAGES = /^image\/(?:png|jpe?g|gif|webp|avif|\*)$/i;
const AUDIO = /^audio\/[\w.+-]+$/i;

/** Shows media of a body through a blob URL. An external URL is shown as text and never loaded. */
export function Media({
  type,
  base64,
  url,
}: {
  readonly type: string;
  readonly base64: string | null;
  readonly url: string | null;
}): ReactElement {
  const { href, size } = useBlob(base64, type);
  if (base64 === null) {
    return (
      <p className="body-media xs">
        <Icon name="link" size={14} /> {uiText.body.remote(type)} <code className="ell">{url}</code>
      </p>
    );
  }
  if (href === null) return <p className="body-media xs muted">{uiText.body.broken(type)}</p>;
  const facts = uiText.body.media(type, bytes(size));
  return (
    <figure className="body-media">
      {IMAGES.test(type) && <img src={href} alt={facts} />}
      {AUDIO.test(type) && <audio controls src={href} aria-label={facts} />}
      <figcaption className="xs muted row">
        {facts}
        <a href={href} download>
          {uiText.body.save}
        </a>
      </figcaption>
    </figure>
  );
}

/** Creates a blob URL and revokes it when the component unmounts. */
function useBlob(
  base64: string | null,
  type: string,
): { readonly href: string | null; readonly size: number } {
  const [blob, setBlob] = useState<{ readonly href: string | null; readonly size: number }>({
    href: null,
    size: 0,
  });
  useEffect(() => {
    const data = base64 === null ? null : decoded(base64);
    if (data === null) return undefined;
    const safeType =
      IMAGES.test(type) || AUDIO.test(type) ? type.replace('/*', '/png') : 'application/octet-stream';
    const href = URL.createObjectURL(new Blob([data], { type: safeType }));
    setBlob({ href, size: data.length });
    return () => URL.revokeObjectURL(href);
  }, [base64, type]);
  return base64 === null ? { href: null, size: 0 } : blob;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}
