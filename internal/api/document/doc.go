// Package document makes the OpenAPI document of the API and checks requests against it.
//
//   - schemas.go, schema_names.go, schema_enums.go, node_members.go: the components of the document, made from Go types.
//   - descriptions.go, corrections.go: what the types of package dat do not say of themselves.
//   - member_types.go: members that may be null or left out, and members with any value.
//   - tags.go, parameters.go, responses.go, media_types.go: what several calls share.
//   - openapi.go: the document and its forms; openapi30.go: the form for older tools.
//   - pages.go, reference_page.go, pages/: the reference page and the pages that explain problems.
//   - body_check.go, body_values.go: what a body is refused for beyond huma's own validation. json_cursor.go: its text.
//     place.go: where that is.
//     label_rules.go: the bounds of labels.
//   - problem.go: the body of every refusal; problem_returns.go: the table of DAT's returns and their HTTP statuses;
//     problem_kinds.go: the service's own kinds of problems; problem_validation.go: the problems that huma finds.
//
// It knows the words of DAT and no other room: which calls there are and what they do is package api's.
package document
