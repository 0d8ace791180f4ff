import { queryOptions } from "@tanstack/react-query";
import { client, read } from "./client";
import type { EPState, ObjectType, Operation } from "./model";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** The body of `GET /matrix`: the tables of DAT's rules, with the words for them. */
export type MatrixDocument = Schemas["MatrixDoc"];

/** A parameter of an endpoint; its name is the one in a PATCH. */
export type Parameter = Schemas["ParamDoc"];
/** An operation with its title, meaning and inputs. */
export type OperationWords = Schemas["OperationDoc"];
/** An attribute of dat_ia_query. */
export type Attribute = Schemas["AttributeDoc"];
/** An operation of a caller or an event of the engine. */
export type Input = Schemas["TransitionDoc"]["input"];
/** What the transition table says of an input in a state. */
export type VerdictKind = Schemas["TransitionDoc"]["kind"];

/** A value of an enumeration with its title and meaning. */
export type Word = Schemas["WordDoc"];

/** A heading with its parameters. */
export interface Section {
  title: string;
  parameters: readonly Parameter[];
}

/** A transition that changes the state, with its operation or event and its rule. */
export interface Move {
  from: EPState;
  to: EPState;
  input: Input;
  rule: string;
}

/** The rules of DAT, indexed. */
export class Matrix {
  /** The parameters by name. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The sections of parameters in the order of a form. */
  readonly sections: readonly Section[];
  /** The transitions that change the state. */
  readonly moves: readonly Move[];
  /** The causes in the change log that end a connection by a failure. */
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

  /** The title of a state; the state itself if it is unknown. */
  stateTitle(state: EPState): string {
    return this.states.get(state)?.title ?? state;
  }

  /** The meaning of a state; empty if it is unknown. */
  stateMeaning(state: EPState): string {
    return this.states.get(state)?.meaning ?? "";
  }

  /** The words for an operation. */
  operation(operation: Operation): OperationWords | undefined {
    return this.operations.get(operation);
  }

  /** The verdict on an input in a state; undefined if either is unknown. */
  verdict(state: EPState, input: Input): VerdictKind | undefined {
    return this.verdicts.get(`${state} ${input}`);
  }

  /** The verdicts on the inputs of an operation. */
  private verdictsOn(operation: Operation, state: EPState): (VerdictKind | undefined)[] {
    return this.operations.get(operation)?.inputs.map((input) => this.verdict(state, input)) ?? [];
  }

  /** Reports whether an operation is allowed in a state but does nothing. */
  hasNoEffect(operation: Operation, state: EPState): boolean {
    const allowed = this.verdictsOn(operation, state).filter((kind) => kind !== "REFUSE");
    return allowed.length > 0 && allowed.every((kind) => kind === "NO_EFFECT");
  }

  /** Reports whether an operation ends the endpoint in any state. */
  endsEndpoint(operation: Operation): boolean {
    return [...this.states.keys()].some((state) => this.verdictsOn(operation, state as EPState).includes("END"));
  }

  /** The states in which an input is not refused. */
  statesAllowing(input: Input): EPState[] {
    const states = [...this.states.keys()] as EPState[];
    return states.filter((state) => ![undefined, "REFUSE"].includes(this.verdict(state, input)));
  }

  /** The values of an enumeration by its name in openapi.yaml. */
  words(name: string): readonly Word[] {
    return this.enums.get(name) ?? [];
  }

  /** One value of an enumeration. */
  word(name: string, word: string): Word | undefined {
    return this.words(name).find((one) => one.word === word);
  }

  /** The choices of a parameter, without those that are stored as another one. */
  distinctChoices(parameter: Parameter): string[] {
    const aliases = this.document.enums.flatMap(({ words }) => words.filter((word) => word.stored_as !== null).map(({ word }) => word));
    return parameter.choices.filter((choice) => !aliases.includes(choice));
  }

  /** The IA attribute that limits the number of objects of a type; null if there is none. */
  limitOf(type: ObjectType): string | null {
    return this.document.object_types.find((row) => row.type === type)?.limit ?? null;
  }

  /** The streams that these feeders send events by, in the order of the arguments. */
  streamsFedBy(...feeders: Schemas["StreamDoc"]["fed_by"][]): Schemas["Stream"][] {
    return feeders.flatMap((feeder) => this.document.streams.filter(({ fed_by }) => fed_by === feeder).map(({ stream }) => stream));
  }

  /** The streams that the EVDs of an endpoint must have been created for. */
  get endpointStreams(): Schemas["Stream"][] {
    return [...new Set(this.document.parameters.flatMap(({ stream }) => stream ?? []))];
  }

  /** The events of a kind, by DAT's constants. */
  eventsOfKind(kind: Schemas["EventDoc"]["kind"]): string[] {
    return this.document.events.filter((event) => event.kind === kind).map(({ event }) => event);
  }
}

/** The matrix, read once: it changes only with the version of the service. */
export const matrix = () =>
  queryOptions({
    queryKey: ["matrix"],
    queryFn: async ({ signal }) => new Matrix(await read<MatrixDocument>(client.GET("/matrix", { signal }))),
    staleTime: Infinity,
    gcTime: Infinity,
    // Merging with the former value would lose the class.
    structuralSharing: false,
  });
