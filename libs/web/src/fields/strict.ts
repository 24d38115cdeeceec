import 'reflect-metadata';

const STRICT = 'gw:strict';

/** A class whose bodies may hold no other fields: one that it does not know is refused, where other classes drop it. */
export const Strict = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(STRICT, true, target);
};

export const isStrict = (type: object): boolean => Reflect.hasMetadata(STRICT, type);
