export { DEVELOPER_JOBS } from './developer';
export type { Job, Scene } from './job';
export { prepareScene } from './scene';
export { LOG_JOBS } from './logs';
export { RESOURCE_JOBS } from './resources';
