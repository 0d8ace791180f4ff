import { queryOptions } from "@tanstack/react-query";
import { client, read } from "./client";
import type { EPState, Operation } from "./model";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** The tables that judge the calls, as `GET /matrix` answers them. */
export type MatrixDocument = Schemas["MatrixDoc"];

/** A row of the modify matrix: a parameter of an endpoint, by the name that a PATCH uses. */
export type Parameter = Schemas["ParamDoc"];
export type OperationWords = Schemas["OperationDoc"];
export type Attribute = Schemas["AttributeDoc"];
export type Input = Schemas["TransitionDoc"]["input"];
export type VerdictKind = Schemas["TransitionDoc"]["kind"];

/** A value of an enumeration with what it is called and means. */
export type Word = Schemas["WordDoc"];

/** A heading with the parameters under it. */
export interface Section {
  title: string;
  parameters: readonly Parameter[];
}

/** A transition that changes the state: what is done or happens, and the rule that says so. */
export interface Move {
  from: EPState;
  to: EPState;
  input: Input;
  rule: string;
}

/** The rules of DAT and the words for them, ready to be asked. */
export class Matrix {
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The headings in the order in which a form shows them. */
  readonly sections: readonly Section[];
  readonly moves: readonly Move[];
  /** The causes in the log that end a connection which nobody meant to end. */
  readonly failures: readonly string[];
  private readonly states: ReadonlyMap<string, Schemas["StateDoc"]>;
  private readonly operations: ReadonlyMap<string, OperationWords>;
  private readonly verdicts: ReadonlyMap<string, VerdictKind>;
  private readonly enums: ReadonlyMap<string, readonly Word[]>;

  constructor(readonly document: MatrixDocument) {
    this.states = new Map(document.states.map((state) => [state.state, state]));
    this.operations = new Map(document.operations.map((operation) => [operation.operation, operation]));
    this.parameters = new Map(document.parameters.map((parameter) => [parameter.name, parameter]));
    this.enums = new Map(document.enums.map(({ enum: name, words }) => [name, words]));
    this.verdicts = new Map(document.transitions.map(({ state, input, kind }) => [`${state} ${input}`, kind]));
    this.sections = document.sections.map(({ title, parameters }) => ({
      title,
      parameters: parameters.flatMap((name) => this.parameters.get(name) ?? []),
    }));
    this.moves = document.transitions.flatMap(({ state, input, kind, next, rule }) =>
      kind === "MOVE" && next !== null && next !== state ? [{ from: state as EPState, to: next as EPState, input, rule }] : [],
    );
    this.failures = this.connectionFailures();
  }

  private connectionFailures(): string[] {
    const failures = new Set(this.document.events.filter(({ kind }) => kind === "FAILURE").map(({ event }) => event));
    const ending = new Set(this.moves.filter(({ to }) => to === "DISCONNECTED").map(({ input }) => input));
    const causes = this.document.inputs.filter(({ input, cause }) => ending.has(input) && failures.has(cause)).map(({ cause }) => cause);
    return [...new Set(causes)];
  }

  /** What a state is called; the word itself where the table does not know it. */
  stateTitle(state: EPState): string {
    return this.states.get(state)?.title ?? state;
  }

  stateMeaning(state: EPState): string {
    return this.states.get(state)?.meaning ?? "";
  }

  operation(operation: Operation): OperationWords | undefined {
    return this.operations.get(operation);
  }

  /** What becomes of an input in a state; undefined for what the table does not know. */
  verdict(state: EPState, input: Input): VerdictKind | undefined {
    return this.verdicts.get(`${state} ${input}`);
  }

  /** The verdicts on the inputs behind an operation. */
  private verdictsOn(operation: Operation, state: EPState): (VerdictKind | undefined)[] {
    return this.operations.get(operation)?.inputs.map((input) => this.verdict(state, input)) ?? [];
  }

  /** Whether a state allows an operation and it would do nothing. */
  hasNoEffect(operation: Operation, state: EPState): boolean {
    const allowed = this.verdictsOn(operation, state).filter((kind) => kind !== "REFUSE");
    return allowed.length > 0 && allowed.every((kind) => kind === "NO_EFFECT");
  }

  /** Whether an operation ends the endpoint for good, in any state. */
  endsEndpoint(operation: Operation): boolean {
    return [...this.states.keys()].some((state) => this.verdictsOn(operation, state as EPState).includes("END"));
  }

  /** The states in which an input is not refused. */
  statesAllowing(input: Input): EPState[] {
    const states = [...this.states.keys()] as EPState[];
    return states.filter((state) => ![undefined, "REFUSE"].includes(this.verdict(state, input)));
  }

  /** The values of an enumeration, by the name that openapi.yaml has for it. */
  words(name: string): readonly Word[] {
    return this.enums.get(name) ?? [];
  }

  word(name: string, word: string): Word | undefined {
    return this.words(name).find((one) => one.word === word);
  }

  /** The choices of a parameter without the words that an object shows as another one. */
  distinctChoices(parameter: Parameter): string[] {
    const aliases = this.document.enums.flatMap(({ words }) => words.filter((word) => word.stored_as !== null).map(({ word }) => word));
    return parameter.choices.filter((choice) => !aliases.includes(choice));
  }

  /** The attribute of an IA that bounds how many objects of a type it can have, null where none does. */
  limitOf(type: Schemas["ObjectType"]): string | null {
    return this.document.object_types.find((row) => row.type === type)?.limit ?? null;
  }

  /** The streams of what feeds an EVD, in the order in which the feeders are named. */
  streamsFedBy(...feeders: Schemas["StreamDoc"]["fed_by"][]): Schemas["Stream"][] {
    return feeders.flatMap((feeder) => this.document.streams.filter(({ fed_by }) => fed_by === feeder).map(({ stream }) => stream));
  }

  /** The streams that the EVDs of an endpoint must have been made for. */
  get endpointStreams(): Schemas["Stream"][] {
    return [...new Set(this.document.parameters.flatMap(({ stream }) => stream ?? []))];
  }

  /** DAT's names of the events of a kind. */
  eventsOfKind(kind: Schemas["EventDoc"]["kind"]): string[] {
    return this.document.events.filter((event) => event.kind === kind).map(({ event }) => event);
  }
}

/** The tables change with the program only. */
export const matrix = () =>
  queryOptions({
    queryKey: ["matrix"],
    queryFn: async ({ signal }) => new Matrix(await read<MatrixDocument>(client.GET("/matrix", { signal }))),
    staleTime: Infinity,
    gcTime: Infinity,
    // A class keeps its methods: there is nothing to merge with the answer before.
    structuralSharing: false,
  });
