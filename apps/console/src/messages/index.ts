// One line for each page. Pages import their own texts from here: `import { logs } from
// '../../messages'`.
export { access } from './en/access';
export { audit } from './en/audit';
export { conflict } from './en/conflict';
export { connect } from './en/connect';
export { errors } from './en/errors';
export { factors } from './en/factors';
export { forms } from './en/forms';
export { home } from './en/home';
export { me } from './en/me';
export { models } from './en/models';
export { needs } from './en/needs';
export { pageNames } from './en/page-names';
export { keys } from './en/keys';
export { limits } from './en/limits';
export { playground } from './en/playground';
export { plural } from './plural';
export { providers } from './en/providers';
export { session } from './en/session';
export { shell } from './en/shell';
