import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PrincipalPermissions } from '../auth/permission-rules.js';
import { contextOf, type RequestContext, schemaFor } from './content-context.service.js';
import {
  type CursorReader,
  type FormContext,
  listForm,
  type ListForm,
  type ReadForm,
  recordForm,
  type RecordForm,
} from './read-form.js';
import { parseListQuery, parseRecordQuery, type RawQuery } from './request/parse-list-query.js';
import { QueryFaults } from './request/query-faults.js';
import type { ContentAction } from './resolve/resolved.types.js';
import { Placeholders } from './resolve/placeholder.js';

/** Characters of keys and statements that are kept. */
const MOST_CHARACTERS = 16_000_000;

/** Keeps what reading requests were made into: one that comes again is not parsed, planned or rendered again. */
@Injectable()
export class ReadForms {
  private readonly lists = keeper<ListForm>();
  private readonly records = keeper<RecordForm>();
  private readonly numbers = new WeakMap<PrincipalPermissions, number>();
  private lastNumber = 0;

  /** The form of a list. Throws `query_invalid`, `permission_denied`, `token_missing` or `schema_not_found`. */
  list(requestContext: RequestContext, name: string, raw: RawQuery, readCursor: CursorReader): ListForm {
    // The place of the cursor is bound later.
    const query = typeof raw['cursor'] === 'string' ? { ...raw, cursor: '' } : raw;
    const make = (context: FormContext): ListForm => {
      const faults = new QueryFaults(context.limits);
      return listForm(context, parseListQuery(query, faults), faults, readCursor);
    };
    return this.kept(this.lists, requestContext, 'list', [name, query], make);
  }

  /** The form of a record. Throws what {@link list} throws. */
  record(requestContext: RequestContext, name: string, raw: RawQuery): RecordForm {
    const make = (context: FormContext): RecordForm => {
      const faults = new QueryFaults(context.limits);
      return recordForm(context, parseRecordQuery(raw, faults), faults);
    };
    return this.kept(this.records, requestContext, 'get', [name, raw], make);
  }

  /** One that could not be made without a value of the request itself is not kept. */
  private kept<Form extends ReadForm>(
    forms: LRUCache<string, Form>,
    requestContext: RequestContext,
    action: ContentAction,
    asked: readonly [name: string, query: RawQuery],
    make: (context: FormContext) => Form,
  ): Form {
    const { snapshot, permissions, principal } = requestContext;
    const key = `${snapshot.version} ${this.numberOf(permissions)} ${principal.kind} ${JSON.stringify(asked)}`;
    const known = forms.get(key);
    if (known !== undefined) return known;
    const context = compileContext(requestContext);
    const form = make({ ...context, schema: schemaFor(context, asked[0], action) });
    if (!context.placeholders.isForOneRequest) forms.set(key, form);
    return form;
  }

  private numberOf(permissions: PrincipalPermissions): number {
    const known = this.numbers.get(permissions);
    if (known !== undefined) return known;
    this.lastNumber += 1;
    this.numbers.set(permissions, this.lastNumber);
    return this.lastNumber;
  }
}

function keeper<Form extends ReadForm>(): LRUCache<string, Form> {
  const sizeCalculation = ({ read }: Form, key: string): number => key.length + 2 * read.statement.text.length;
  return new LRUCache({ maxSize: MOST_CHARACTERS, sizeCalculation });
}

/** Guests are all the same; who an account is, and when it asks, is bound later. */
function compileContext(requestContext: RequestContext): Omit<FormContext, 'schema'> {
  const { auth, now, principal } = requestContext;
  const placeholders = new Placeholders({ now, 'auth.id': auth.id, 'auth.email': auth.email });
  const isGuest = principal.kind === 'guest';
  const person = isGuest
    ? auth
    : { ...auth, id: placeholders.value('auth.id'), email: placeholders.value('auth.email') };
  return { ...contextOf(requestContext, { auth: person, now: placeholders.value('now') }), placeholders };
}
