import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ROUTE_PARAMETER } from './route-parameters.js';
import { declaresMembers } from './unknown-input.js';

const CHECKED: Readonly<Record<number, string>> = {
  [ROUTE_PARAMETER.BODY]: 'body',
  [ROUTE_PARAMETER.QUERY]: 'query',
  [ROUTE_PARAMETER.PARAM]: 'path parameters',
};

const UNCHECKED = new Set<unknown>([String, Boolean, Number, Array, Object, Buffer, Date]);

/** The pipe rejects or removes members without a check, so a class without checks would always be empty. */
export function inputFaultOf(controller: Type, name: string): string | null {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as unknown[] | undefined;
  for (const key of Object.keys(parameters ?? {})) {
    // A key is `type:index`; keys of custom decorators begin with an id.
    const [place = '', at = ''] = key.split(':');
    const [part, type] = [CHECKED[Number(place)], types?.[Number(at)]];
    if (part === undefined || typeof type !== 'function' || UNCHECKED.has(type) || declaresMembers(type as Type))
      continue;
    return `takes its ${part} as ${type.name}, which declares no field: add @Field() or decorators of class-validator to each field`;
  }
  return null;
}
