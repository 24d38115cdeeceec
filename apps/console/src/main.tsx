import './ui/styles';
import './often';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './app/console';
import { takeClaim } from './app/session/claim';
import { takeReturn } from './app/session/sso-return';

takeClaim();
takeReturn();
const root = document.getElementById('root');
const nonce = document.querySelector<HTMLMetaElement>('meta[name="console-nonce"]')?.content ?? '';
// The package that locks scrolling behind dialogs reads the nonce of its style from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Console basepath={new URL(document.baseURI).pathname} nonce={nonce} />
    </StrictMode>,
  );
